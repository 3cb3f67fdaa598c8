//! Signatures of Go methods as text: they decide which interfaces a type implements.

use syntax::{ParamKind, SymbolKind, TypeRef};

use super::super::super::ids::SymbolId;
use super::super::super::summary::Signature;
use super::super::CallModel;
use super::{FileTables, FunctionParam};

impl FileTables<'_> {
    /// The interfaces that this file declares for its package.
    pub(in super::super) fn interfaces(&self) -> Vec<String> {
        let symbols = self.facts.symbols.iter();
        let own = symbols.filter(|one| one.kind == SymbolKind::Interface && one.parent.is_none());
        own.map(|one| one.path.clone()).collect()
    }

    /// What a Go method takes and returns.
    pub(in super::super) fn signature(&self, method: SymbolId) -> Option<Signature> {
        let symbol = self.symbol(method);
        if self.family != CallModel::Go || symbol.kind != SymbolKind::Method {
            return None;
        }
        let mut params = Vec::new();
        for FunctionParam { param, .. } in self.params(method) {
            let ty = param.ty.as_ref().unwrap_or(&TypeRef::Unknown);
            match param.kind {
                ParamKind::Receiver => {}
                ParamKind::Rest => params.push(format!("[]{}", self.type_text(ty, method))),
                _ => params.push(self.type_text(ty, method)),
            }
        }
        let results = match &symbol.ty {
            None => Vec::new(),
            Some(TypeRef::Tuple(all)) => all.iter().map(|ty| self.type_text(ty, method)).collect(),
            Some(one) => vec![self.type_text(one, method)],
        };
        Some(Signature { params, results })
    }

    fn type_text(&self, ty: &TypeRef, method: SymbolId) -> String {
        match ty {
            TypeRef::Named { path, .. } if self.type_param(path, Some(method)).is_some() => {
                Signature::ANY.into()
            }
            TypeRef::Named { path, args, .. } => {
                let name = path.rsplit('.').next().unwrap_or(path);
                let args: Vec<String> =
                    args.iter().map(|arg| self.type_text(arg, method)).collect();
                if args.is_empty() {
                    name.to_owned()
                } else {
                    format!("{name}[{}]", args.join(","))
                }
            }
            TypeRef::List(of) => format!("[]{}", self.type_text(of, method)),
            TypeRef::Function(params, _) => format!("func{}", params.len()),
            _ => "any".to_owned(), // `interface{}`
        }
    }
}
