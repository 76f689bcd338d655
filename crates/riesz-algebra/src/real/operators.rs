//! The operators `+ - * /` of numbers that have sums, products, differences and quotients.

/// Implements the operators for a type, from what bounds on, for sums and products, differences, quotients.
macro_rules! operators {
    ([$($parameters:tt)*] [$($ring:tt)*] [$($real:tt)*] $type:ty) => {
        impl<$($parameters)*> core::ops::Add for $type {
            type Output = Self;
            #[inline(always)]
            fn add(self, other: Self) -> Self {
                $crate::semiring::Monoid::add(&self, &other)
            }
        }

        impl<$($parameters)*> core::ops::Mul for $type {
            type Output = Self;
            #[inline(always)]
            fn mul(self, other: Self) -> Self {
                $crate::semiring::Semiring::mul(&self, &other)
            }
        }

        impl<$($parameters)*> core::ops::Sub for $type
        where
            $($ring)*
        {
            type Output = Self;
            #[inline(always)]
            fn sub(self, other: Self) -> Self {
                $crate::semiring::Ring::sub(&self, &other)
            }
        }

        impl<$($parameters)*> core::ops::Neg for $type
        where
            $($ring)*
        {
            type Output = Self;
            #[inline(always)]
            fn neg(self) -> Self {
                $crate::semiring::Ring::neg(&self)
            }
        }

        impl<$($parameters)*> core::ops::Div for $type
        where
            $($real)*
        {
            type Output = Self;
            #[inline(always)]
            fn div(self, other: Self) -> Self {
                $crate::real::Real::binary(self, $crate::real::Binary::Div, other)
            }
        }
    };
}
pub(crate) use operators;
