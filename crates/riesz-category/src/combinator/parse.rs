/// x
pub struct ParseError;
