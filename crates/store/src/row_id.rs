//! Ids of rows as types, so that the id of one table cannot be passed for the id of another.

/// Declares the id of a row as a type of its own. It is read from a column and bound to a parameter
/// as its number.
#[macro_export]
macro_rules! row_id {
    ($(#[$attribute:meta])* $visibility:vis $name:ident($number:ty)) => {
        $(#[$attribute])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        $visibility struct $name(pub $number);

        impl $crate::FromSql for $name {
            fn column_result(value: $crate::ValueRef<'_>) -> $crate::FromSqlResult<Self> {
                <$number as $crate::FromSql>::column_result(value).map(Self)
            }
        }

        impl $crate::ToSql for $name {
            fn to_sql(&self) -> $crate::SqlResult<$crate::ToSqlOutput<'_>> {
                $crate::ToSql::to_sql(&self.0)
            }
        }
    };
}
