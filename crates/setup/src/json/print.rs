//! Our own text in the file's layout.

/// A JSON value of ours.
pub(super) enum JsonTree {
    /// Ready text
    Leaf(&'static str),
    /// An object
    Node(Vec<(&'static str, JsonTree)>),
}

/// How the text is laid out.
pub(super) enum JsonLayout {
    /// All on one line
    Inline,
    /// A line for each property
    Lines {
        /// The file's line end
        nl: &'static str,
        /// What one level is indented by
        unit: String,
    },
}

impl JsonTree {
    /// The value's text; `indent` is that of the line it starts on.
    pub(super) fn print(&self, layout: &JsonLayout, indent: &str) -> String {
        let Self::Node(properties) = self else {
            let Self::Leaf(text) = self else { return String::new() };
            return (*text).to_owned();
        };
        let (inner, open, close) = match layout {
            JsonLayout::Inline => (String::new(), " ".to_owned(), " ".to_owned()),
            JsonLayout::Lines { nl, unit } => {
                let inner = format!("{indent}{unit}");
                (inner.clone(), format!("{nl}{inner}"), format!("{nl}{indent}"))
            }
        };
        let each = properties.iter().map(|(name, tree)| tree.property(name, layout, &inner));
        let all = each.collect::<Vec<_>>().join(&format!(",{open}"));
        format!("{{{open}{all}{close}}}")
    }

    /// The value with its name.
    pub(super) fn property(&self, name: &str, layout: &JsonLayout, indent: &str) -> String {
        format!("\"{name}\": {}", self.print(layout, indent))
    }
}
