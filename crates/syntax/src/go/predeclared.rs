//! Types that the Go language itself declares.

/// Names that the language declares and every package may use.
const PREDECLARED: [&str; 22] = [
    "any",
    "bool",
    "byte",
    "comparable",
    "complex128",
    "complex64",
    "error",
    "float32",
    "float64",
    "int",
    "int16",
    "int32",
    "int64",
    "int8",
    "rune",
    "string",
    "uint",
    "uint16",
    "uint32",
    "uint64",
    "uint8",
    "uintptr",
];

/// Whether a name is a type of the Go language itself.
pub fn is_predeclared(name: &str) -> bool {
    PREDECLARED.contains(&name)
}
