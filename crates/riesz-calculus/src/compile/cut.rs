//! The two streams of a function become three functions: `x ↦ (f x, kept)`, `(kept, dx) ↦ dy`, and
//! `(kept, dy, accumulators of dx) ↦ ()`.

use super::Calculus;
use crate::linearise::Streams;
use crate::transpose::Transposer;
use riesz_core::Type;
use riesz_core::build::bind;
use riesz_core::free::Free;
use riesz_core::renumber::renumber;
use riesz_core::term::{Atom, Binding, Body, Function, FunctionId, Op, Var, VarInfo};
use riesz_optimise::{bindings_in, drop_dead};

impl Calculus {
    /// Cuts the streams of a function into three functions; the types of what is kept, or nothing where that is one opaque
    /// value: where a function is recursive, and where residuals of calls would make the program outgrow what is written.
    pub(super) fn cut(
        &mut self,
        function: &Function,
        streams: Streams,
        [primal, forward, reverse]: [FunctionId; 3],
        recursive: bool,
    ) -> Option<Vec<(Var, Type)>> {
        let span = function.span;
        let Streams { mut vars, linear_vars, shapes, primal: primal_bindings, mut linear, inputs, output, .. } =
            streams;
        let result_type = function.result.tangent();
        let output = match output {
            Some(output) => output,
            None => {
                // A result that does not vary, or `()`: a zero all the same.
                bind(&mut vars, &mut linear, Op::Zero(function.body.result), result_type.clone(), span)
            }
        };
        let free = Free::of(&linear, &[output], &vars).found;
        let mut kept: Vec<Var> = free.into_iter().filter(|var| !inputs.contains(var)).collect();
        for var in &inputs {
            let mut sizes = Free::default();
            sizes.bindings(&[Binding { var: *var, op: Op::Accumulator, span }], &vars);
            for size in sizes.found {
                if !kept.contains(&size) {
                    kept.push(size);
                }
            }
        }
        kept.sort_by_key(|var| vars[var.0 as usize].ty != Type::Int);
        let kept_types: Vec<Type> = kept.iter().map(|var| vars[var.0 as usize].ty.clone()).collect();
        let opaque = recursive || outgrow(&kept_types, &function.body);
        let fresh = |vars: &mut Vec<VarInfo>, ty: Type, name: &str| {
            vars.push(VarInfo { name: Some(name.into()), ty });
            Var(vars.len() as u32 - 1)
        };

        // x ↦ (f x, kept), but for what is kept of x
        let mut bindings = primal_bindings;
        let mut parts = vec![function.body.result];
        let mut part_types = vec![function.result.clone()];
        let kept_atoms: Vec<Atom> = kept.iter().map(|var| Atom::Var(*var)).collect();
        if opaque {
            let tuple = fresh(&mut vars, Type::Tuple(kept_types.clone().into()), "kept");
            bindings.push(Binding { var: tuple, op: Op::Tuple(kept_atoms), span });
            let opaque = fresh(&mut vars, Type::Kept, "kept");
            bindings.push(Binding { var: opaque, op: Op::Copy(Atom::Var(tuple)), span });
            parts.push(Atom::Var(opaque));
            part_types.push(Type::Kept);
        } else {
            for (var, ty) in kept.iter().zip(&kept_types) {
                if var.0 as usize >= function.parameters {
                    parts.push(Atom::Var(*var));
                    part_types.push(ty.clone());
                }
            }
        }
        let ty = Type::Tuple(part_types.into());
        let result = fresh(&mut vars, ty.clone(), "t");
        bindings.push(Binding { var: result, op: Op::Tuple(parts), span });
        let mut body = Body { bindings, result: Atom::Var(result) };
        drop_dead(&mut body, &vars);
        let parameters: Vec<Var> = (0..function.parameters as u32).map(Var).collect();
        let info = vars.clone();
        let finished = renumber(self.program.function(primal).name.clone(), &parameters, body, &ty, span, &|var| {
            info[var.0 as usize].clone()
        });
        self.program.functions[primal.0 as usize] = finished;

        // (kept, dx) ↦ dy
        let opened = |vars: &mut Vec<VarInfo>| -> (Vec<Var>, Vec<Binding>) {
            if !opaque {
                return (kept.clone(), Vec::new());
            }
            let opaque = fresh(vars, Type::Kept, "kept");
            let opened = kept.iter().enumerate();
            let bindings = opened.map(|(at, var)| Binding { var: *var, op: Op::Project(Atom::Var(opaque), at), span });
            (vec![opaque], bindings.collect())
        };
        let (mut parameters, mut bindings) = opened(&mut vars);
        parameters.extend(&inputs);
        bindings.extend(linear.iter().cloned());
        let body = Body { bindings, result: output };
        let info = vars.clone();
        let finished =
            renumber(self.program.function(forward).name.clone(), &parameters, body, &result_type, span, &|var| {
                info[var.0 as usize].clone()
            });
        self.program.functions[forward.0 as usize] = finished;

        // (kept, dy, accumulators of dx) ↦ ()
        let (mut parameters, opened_bindings) = opened(&mut vars);
        let name = format!("d{}", function.name);
        let cotangent = function.result.varies().then(|| fresh(&mut vars, result_type.clone(), &name));
        parameters.extend(cotangent);
        let mut given = Vec::new();
        for input in &inputs {
            let ty = match vars[input.0 as usize].ty.clone() {
                Type::Accumulator(inner) => (*inner).clone(),
                ty => Type::Accumulator(ty.into()),
            };
            let name = vars[input.0 as usize].name.clone();
            let var = fresh(&mut vars, ty, name.as_deref().unwrap_or("to"));
            given.push((*input, var));
            parameters.push(var);
        }
        let transposer = Transposer::new(self, vars, linear_vars, shapes);
        let (vars, mut body) =
            transposer.function(&linear, &given, cotangent.map(|cotangent| (output, cotangent)), span);
        body.bindings.splice(0..0, opened_bindings);
        drop_dead(&mut body, &vars);
        let name = self.program.function(reverse).name.clone();
        let finished = renumber(name, &parameters, body, &Type::unit(), span, &|var| vars[var.0 as usize].clone());
        self.program.functions[reverse.0 as usize] = finished;
        (!opaque).then(|| kept.into_iter().zip(kept_types).collect())
    }
}

/// How many parts the residuals of a function may have, beyond some for each binding of its own: where `f` calls `g` twice,
/// and `g` calls `h` twice, they would double with every level.
const PARTS_OF_CALLS: usize = 256;
/// How many parts of residuals belong to a binding.
const PARTS_OF_BINDING: usize = 4;

/// Whether there are more parts in some types than the bindings of a body account for.
fn outgrow(types: &[Type], body: &Body) -> bool {
    let mut parts = 0;
    for ty in types {
        ty.any(&mut |_| {
            parts += 1;
            false
        });
    }
    parts > PARTS_OF_CALLS && parts > PARTS_OF_CALLS + PARTS_OF_BINDING * bindings_in(body, parts)
}
