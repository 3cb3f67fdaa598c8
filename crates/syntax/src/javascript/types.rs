//! Written types.

use oxc_ast::ast::{
    Expression, FormalParameters, TSImportType, TSLiteral, TSTupleElement, TSType,
    TSTypeAnnotation, TSTypeName, TSTypeOperatorOperator, TSTypeParameterDeclaration,
    TSTypeParameterInstantiation, TSTypeQueryExprName,
};

use super::span;
use super::walk::JavaScriptWalker;
use crate::model::{BindingKind, Expr, ImportKind, TypeParam, TypeRef};

impl<'a> JavaScriptWalker<'_, '_> {
    /// The type of an annotation.
    pub(super) fn annotation(&mut self, written: Option<&TSTypeAnnotation<'a>>) -> Option<TypeRef> {
        let ty = self.ty(&written?.type_annotation);
        (ty != TypeRef::Unknown).then_some(ty)
    }

    /// A written type.
    pub(super) fn ty(&mut self, written: &TSType<'a>) -> TypeRef {
        match written {
            TSType::TSTypeReference(named) => {
                let args = self.type_arguments(named.type_arguments.as_deref());
                self.type_name(&named.type_name, args)
            }
            TSType::TSStringKeyword(_) => TypeRef::named("string"),
            TSType::TSNumberKeyword(_) => TypeRef::named("number"),
            TSType::TSBooleanKeyword(_) => TypeRef::named("boolean"),
            TSType::TSArrayType(list) => TypeRef::List(Box::new(self.ty(&list.element_type))),
            TSType::TSTupleType(tuple) => {
                let parts = tuple.element_types.iter().map(|part| self.tuple_part(part));
                TypeRef::Tuple(parts.collect())
            }
            TSType::TSUnionType(union) => {
                let parts = union.types.iter().map(|part| self.ty(part));
                one_of(parts.collect())
            }
            TSType::TSIntersectionType(meet) => {
                TypeRef::Intersection(meet.types.iter().map(|part| self.ty(part)).collect())
            }
            TSType::TSParenthesizedType(inner) => self.ty(&inner.type_annotation),
            TSType::TSTypeOperatorType(inner) => {
                let ty = self.ty(&inner.type_annotation);
                let is_same = inner.operator != TSTypeOperatorOperator::Keyof;
                if is_same { ty } else { TypeRef::Unknown }
            }
            TSType::TSFunctionType(function) => {
                let params = self.param_types(&function.params);
                let result = self.ty(&function.return_type.type_annotation);
                TypeRef::Function(params, Box::new(result))
            }
            TSType::TSConstructorType(constructor) => {
                self.param_types(&constructor.params);
                self.ty(&constructor.return_type.type_annotation);
                TypeRef::Unknown
            }
            TSType::TSTypePredicate(predicate) => {
                self.annotation(predicate.type_annotation.as_deref());
                TypeRef::Unknown
            }
            TSType::TSTemplateLiteralType(template) => {
                for part in &template.types {
                    self.ty(part);
                }
                TypeRef::Unknown
            }
            TSType::TSInferType(infer) => {
                if let Some(bound) = &infer.type_parameter.constraint {
                    self.ty(bound);
                }
                TypeRef::Unknown
            }
            TSType::TSThisType(_) => TypeRef::This,
            TSType::TSTypeQuery(query) => self.type_query(&query.expr_name),
            TSType::TSImportType(import) => self.import_type(import),
            TSType::TSTypeLiteral(literal) => {
                if !self.declared_literals.contains(&literal.span.start) {
                    for member in &literal.members {
                        self.mention_signature(member);
                    }
                }
                TypeRef::Unknown
            }
            TSType::TSConditionalType(conditional) => {
                self.ty(&conditional.check_type);
                self.ty(&conditional.extends_type);
                let either =
                    vec![self.ty(&conditional.true_type), self.ty(&conditional.false_type)];
                one_of(either)
            }
            TSType::TSIndexedAccessType(access) => {
                let object = self.ty(&access.object_type);
                self.ty(&access.index_type);
                member_type(object, &access.index_type)
            }
            TSType::TSMappedType(mapped) => {
                if let Some(value) = &mapped.type_annotation {
                    self.ty(value);
                }
                // A type that maps the members of another one has the same members.
                match &mapped.constraint {
                    TSType::TSTypeOperatorType(keys) => self.ty(&keys.type_annotation),
                    other => {
                        self.ty(other);
                        TypeRef::Unknown
                    }
                }
            }
            _ => TypeRef::Unknown,
        }
    }

    /// The parameter types of a function type. A rest parameter gives the types of its tuple, or
    /// one element of its list.
    pub(super) fn param_types(&mut self, params: &FormalParameters<'a>) -> Vec<TypeRef> {
        let mut types = Vec::new();
        for param in &params.items {
            let ty = self.annotation(param.type_annotation.as_deref());
            types.push(ty.unwrap_or(TypeRef::Unknown));
        }
        let rest = params.rest.as_ref().and_then(|rest| rest.type_annotation.as_deref());
        match self.annotation(rest) {
            Some(TypeRef::Tuple(parts)) => types.extend(parts),
            Some(TypeRef::List(one)) => types.push(*one),
            _ => {}
        }
        types
    }

    fn tuple_part(&mut self, part: &TSTupleElement<'a>) -> TypeRef {
        match part {
            TSTupleElement::TSOptionalType(inner) => self.ty(&inner.type_annotation),
            TSTupleElement::TSRestType(inner) => self.ty(&inner.type_annotation),
            TSTupleElement::TSNamedTupleMember(inner) => self.tuple_part(&inner.element_type),
            part => part.as_ts_type().map_or(TypeRef::Unknown, |ty| self.ty(ty)),
        }
    }

    /// The type `import("module")`.
    fn import_type(&mut self, import: &TSImportType<'a>) -> TypeRef {
        let (specifier, at) = (import.source.value.as_str(), span(import.span));
        let index = self.builder.add_import(ImportKind::TypeImport, specifier, at);
        self.builder.facts.imports[index as usize].is_type_only = true;
        TypeRef::Of(Box::new(Expr::Import(index)))
    }

    fn type_query(&mut self, name: &TSTypeQueryExprName<'a>) -> TypeRef {
        match name {
            TSTypeQueryExprName::TSImportType(import) => self.import_type(import),
            name => {
                let value = name.as_ts_type_name().map_or(Expr::Unknown, |n| self.type_value(n));
                TypeRef::Of(Box::new(value))
            }
        }
    }

    /// A type's name as a value: for `typeof` and for what classes extend.
    fn type_value(&mut self, name: &TSTypeName<'a>) -> Expr {
        match name {
            TSTypeName::IdentifierReference(name) => self.name(name),
            TSTypeName::QualifiedName(name) => {
                self.type_value(&name.left).member(name.right.name.as_str())
            }
            TSTypeName::ThisExpression(_) => Expr::This,
        }
    }

    /// A type by its name.
    pub(super) fn type_name(&mut self, name: &TSTypeName<'a>, args: Vec<TypeRef>) -> TypeRef {
        let mut parts = Vec::new();
        let mut binding = None;
        let mut at = name;
        loop {
            match at {
                TSTypeName::QualifiedName(qualified) => {
                    parts.push(qualified.right.name.as_str());
                    at = &qualified.left;
                }
                TSTypeName::IdentifierReference(first) => {
                    parts.push(first.name.as_str());
                    if let Expr::Local(local) = self.resolve(first) {
                        binding = Some(local);
                        self.mention_type(local, parts.iter().rev().nth(1), first.span.start);
                    }
                    break;
                }
                TSTypeName::ThisExpression(_) => {
                    parts.push("this");
                    break;
                }
            }
        }
        parts.reverse();
        TypeRef::Named { path: parts.join("."), binding, args }
    }

    fn mention_type(&mut self, local: u32, member: Option<&&str>, at: u32) {
        let namespace = member.filter(|_| self.is_namespace(local));
        let target = match namespace {
            Some(member) => Expr::Local(local).member(*member),
            None => Expr::Local(local),
        };
        if self.is_top(local) {
            self.builder.add_mention(&target, true, at);
        }
    }

    /// Type arguments.
    pub(super) fn type_arguments(
        &mut self,
        written: Option<&TSTypeParameterInstantiation<'a>>,
    ) -> Vec<TypeRef> {
        written.map_or_else(Vec::new, |args| args.params.iter().map(|arg| self.ty(arg)).collect())
    }

    /// Type parameters, declared as names.
    pub(super) fn generics(
        &mut self,
        written: Option<&TSTypeParameterDeclaration<'a>>,
    ) -> Vec<TypeParam> {
        let Some(written) = written else { return Vec::new() };
        for param in &written.params {
            self.declare(&param.name, BindingKind::Opaque);
        }
        for default in written.params.iter().filter_map(|param| param.default.as_ref()) {
            self.ty(default);
        }
        let params = written.params.iter().map(|param| TypeParam {
            name: param.name.name.to_string(),
            bounds: param.constraint.iter().map(|bound| self.ty(bound)).collect(),
        });
        params.collect()
    }

    /// What a class extends, as a type.
    pub(super) fn heritage_type(&mut self, value: &Expression<'a>, args: Vec<TypeRef>) -> TypeRef {
        let mut parts = Vec::new();
        let mut at = value;
        loop {
            match at {
                Expression::StaticMemberExpression(member) => {
                    parts.push(member.property.name.as_str());
                    at = &member.object;
                }
                Expression::Identifier(first) => {
                    parts.push(first.name.as_str());
                    parts.reverse();
                    let binding = match self.resolve(first) {
                        Expr::Local(local) => Some(local),
                        _ => None,
                    };
                    return TypeRef::Named { path: parts.join("."), binding, args };
                }
                _ => return TypeRef::Unknown,
            }
        }
    }
}

/// The type of a member: `T["name"]`.
fn member_type(object: TypeRef, key: &TSType<'_>) -> TypeRef {
    let TSType::TSLiteralType(literal) = key else { return TypeRef::Unknown };
    let TSLiteral::StringLiteral(name) = &literal.literal else { return TypeRef::Unknown };
    if object == TypeRef::Unknown {
        return object;
    }
    let object = Expr::Typed(Box::new(Expr::Unknown), Box::new(object));
    TypeRef::Of(Box::new(object.member(name.value.as_str())))
}

/// One of several types; what is empty is left out.
fn one_of(parts: Vec<TypeRef>) -> TypeRef {
    let mut known: Vec<_> = parts.into_iter().filter(|part| *part != TypeRef::Unknown).collect();
    match known.len() {
        0 => TypeRef::Unknown,
        1 => known.swap_remove(0),
        _ => TypeRef::Union(known),
    }
}
