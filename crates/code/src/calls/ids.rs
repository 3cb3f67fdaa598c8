//! Ids: positions in the tables of one file's facts and in the interpreter's heap.
//!
//! `syntax` stores plain numbers. They become ids where they are read (see `FileTables`), so that a
//! symbol cannot be taken for a binding or a frame.

macro_rules! id_type {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(super) struct $name(u32);

        impl $name {
            /// The position.
            pub(super) const fn index(self) -> usize {
                self.0 as usize
            }
        }

        impl From<u32> for $name {
            fn from(position: u32) -> Self {
                Self(position)
            }
        }
    };
}

/// Ids that are made by counting, not only read from the facts.
macro_rules! counted_id {
    ($($name:ident),*) => {
        $(impl $name {
            /// The id of a position. The size of a file is limited, so that every position fits.
            pub(super) fn at(position: usize) -> Self {
                Self(u32::try_from(position).unwrap_or(u32::MAX))
            }
        })*
    };
}

id_type! {
    /// A symbol of the file, by its position in `FileFacts::symbols`.
    SymbolId
}

id_type! {
    /// A declared name, by its position in `FileFlow::bindings`.
    BindingId
}

id_type! {
    /// A call site, by its position in `FileFlow::calls`.
    CallId
}

id_type! {
    /// A block, by its position in `FileFlow::blocks`.
    BlockId
}

id_type! {
    /// An import, by its position in `FileFacts::imports`.
    ImportId
}

id_type! {
    /// A frame of the interpreter: one invocation of a function.
    FrameId
}

id_type! {
    /// An object that the interpreter allocated.
    ObjectId
}

counted_id!(SymbolId, BindingId, ImportId, FrameId, ObjectId);

/// The symbol that something belongs to; `None` is the module itself.
pub(super) type Owner = Option<SymbolId>;

impl SymbolId {
    /// The owner that a number of `syntax` stands for.
    pub(super) fn owner(raw: syntax::SymbolOwner) -> Owner {
        raw.map(Self)
    }
}

impl BlockId {
    /// Pseudo block for code that may never be executed: what a function does when it runs for its
    /// summary, and what is assigned to one of several objects.
    pub(super) const MAYBE_EXECUTED: Self = Self(u32::MAX);
}

impl FrameId {
    /// The frame of the module itself.
    pub(super) const MODULE: Self = Self(0);

    /// No frame: for a block that belongs to no invocation.
    pub(super) const NONE: Self = Self(u32::MAX);
}
