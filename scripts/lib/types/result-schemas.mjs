import path from 'node:path';
import ts from 'typescript';
import { openRouterTypes } from './open-router-types.mjs';

/** @typedef {Record<string, unknown>} Schema */

/** A deeper type refers to itself without a name. */
const MAX_DEPTH = 20;

const SOURCES = path.resolve('server');

/**
 * Describes the results and the error of the procedures as JSON Schemas, from their declared types. Types with a name are
 * components. Throws a `TypeError` for a type that JSON cannot hold.
 *
 * @param {readonly string[]} paths  The procedures to describe.
 * @returns {{ results: Record<string, Schema>, error: Schema, components: Record<string, Schema> }}
 */
export function describeResults(paths) {
  const types = openRouterTypes();
  const { typeOf } = types;
  /** @type {Map<string, { type: ts.Type, schema: Schema }>} */
  const components = new Map();
  const toSchema = createToSchema(types, components);
  const error = toSchema(typeOf('ErrorShape'));
  const results = Object.fromEntries(
    listProcedures(types)
      .filter((procedure) => paths.includes(procedure.path))
      .map((procedure) => [procedure.path, toSchema(procedure.result)]),
  );
  const named = [...components].toSorted(([one], [other]) => (one < other ? -1 : 1));
  return {
    results,
    error,
    components: Object.fromEntries(named.map(([name, { schema }]) => [name, schema])),
  };
}

/**
 * @param {ReturnType<typeof openRouterTypes>} types
 * @returns {{ path: string, result: ts.Type }[]}
 */
function listProcedures({ checker, typeOf, propertyOf }) {
  /**
   * @param {{ kinds: ts.Type, results: ts.Type }} router
   * @param {string} prefix
   * @returns {{ path: string, result: ts.Type }[]}
   */
  const list = ({ kinds, results }, prefix) =>
    checker.getPropertiesOfType(kinds).flatMap(({ name }) => {
      const [kind, result] = [propertyOf(kinds, name), propertyOf(results, name)];
      const own = `${prefix}${name}`;
      return kind.isStringLiteral()
        ? [{ path: own, result }]
        : list({ kinds: kind, results: result }, `${own}.`);
    });
  return list({ kinds: typeOf('Kinds'), results: typeOf('Results') }, '').toSorted((one, other) =>
    one.path < other.path ? -1 : 1,
  );
}

/**
 * Returns the function that describes a type. Longer than 50 lines because the forms of a type refer to each other.
 *
 * @param {ReturnType<typeof openRouterTypes>} types
 * @param {Map<string, { type: ts.Type, schema: Schema }>} components
 */
function createToSchema({ checker, typeOfProperty, typeArgumentsOf }, components) {
  /**
   * @param {ts.Type} type
   * @param {number} [depth]
   * @returns {Schema}
   */
  function toSchema(type, depth = 0) {
    const name = nameOf(type);
    if (name === undefined) return expand(type, depth);
    const known = components.get(name);
    if (known && known.type !== type) throw new TypeError(`two types have the name ${name}`);
    if (!known) {
      const component = { type, schema: {} };
      components.set(name, component);
      component.schema = { ...expand(type, depth), ...documentation(type.aliasSymbol ?? type.symbol) };
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  /**
   * @param {ts.Type} type
   * @param {number} depth
   * @returns {Schema}
   */
  function expand(type, depth) {
    if (depth > MAX_DEPTH) throw new TypeError(`${checker.typeToString(type)} is too deep`);
    const inner = (/** @type {ts.Type} */ one) => toSchema(one, depth + 1);
    const { flags } = type;
    if (flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (flags & ts.TypeFlags.String || flags & ts.TypeFlags.TemplateLiteral) return { type: 'string' };
    if (flags & ts.TypeFlags.Number) return { type: 'number' };
    if (flags & ts.TypeFlags.Null) return { type: 'null' };
    if (flags & ts.TypeFlags.BooleanLiteral) return { const: checker.typeToString(type) === 'true' };
    if (type.isStringLiteral() || type.isNumberLiteral()) return { const: type.value };
    if (type.isUnion()) return describeUnion(type.types, inner);
    if (checker.isTupleType(type)) {
      const items = typeArgumentsOf(type).map(inner);
      return { type: 'array', prefixItems: items, items: false, minItems: items.length };
    }
    if (checker.isArrayType(type)) return { type: 'array', items: inner(firstOf(typeArgumentsOf(type))) };
    return describeObject(type, inner);
  }

  /**
   * @param {ts.Type} type
   * @param {(type: ts.Type) => Schema} inner
   * @returns {Schema}
   */
  function describeObject(type, inner) {
    const isClass = type.symbol?.flags & ts.SymbolFlags.Class || type.getCallSignatures().length > 0;
    if (
      !(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection)) ||
      isClass ||
      type.getProperty('getTime')
    )
      throw new TypeError(`JSON cannot hold ${checker.typeToString(type)}`);
    const properties = checker.getPropertiesOfType(type).toSorted(byDeclaration);
    const required = properties
      .filter(({ flags }) => !(flags & ts.SymbolFlags.Optional))
      .map(({ name }) => name);
    const [index] = checker.getIndexInfosOfType(type);
    const isEmpty = properties.length === 0 && (!index || index.type.flags & ts.TypeFlags.Never);
    return {
      type: 'object',
      ...(properties.length > 0 && {
        properties: Object.fromEntries(
          properties.map((property) => [
            property.name,
            { ...inner(withoutUndefined(typeOfProperty(property))), ...documentation(property) },
          ]),
        ),
      }),
      ...(required.length > 0 && { required }),
      ...(isEmpty ? { maxProperties: 0 } : index && { additionalProperties: inner(index.type) }),
    };
  }

  /** @param {ts.Type} type */
  function withoutUndefined(type) {
    if (!type.isUnion() || !type.types.some(({ flags }) => flags & ts.TypeFlags.Undefined)) return type;
    const isNullable = type.types.some(({ flags }) => flags & ts.TypeFlags.Null);
    // TypeScript has no public function that removes `undefined` alone.
    return isNullable ? type : checker.getNonNullableType(type);
  }

  /** @param {ts.Symbol | undefined} symbol */
  function documentation(symbol) {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(checker)).replaceAll('\n', ' ');
    return text === '' ? {} : { description: text };
  }

  return toSchema;
}

/**
 * Orders properties as the source declares them. TypeScript orders those of a mapped type by when it first saw their names.
 *
 * @param {ts.Symbol} one
 * @param {ts.Symbol} other
 */
function byDeclaration(one, other) {
  const [first, second] = [one, other].map(({ declarations: [declaration] = [] }) => ({
    file: declaration?.getSourceFile().fileName ?? '',
    start: declaration?.getStart() ?? 0,
  }));
  if (!first || !second) return 0;
  return first.file === second.file ? first.start - second.start : first.file < second.file ? -1 : 1;
}

/**
 * @param {readonly ts.Type[]} types
 * @param {(type: ts.Type) => Schema} inner
 * @returns {Schema}
 */
function describeUnion(types, inner) {
  const isBoolean = (/** @type {ts.Type} */ { flags }) => flags & ts.TypeFlags.BooleanLiteral;
  const hasBoth = types.filter(isBoolean).length === 2;
  const members = types
    .filter((type) => !(type.flags & ts.TypeFlags.Undefined) && !(hasBoth && isBoolean(type)))
    .map(inner)
    // TypeScript orders members by when it first saw them, which any change of the server can alter.
    .toSorted((one, other) => (JSON.stringify(one) < JSON.stringify(other) ? -1 : 1));
  const values = members.filter((member) => 'const' in member).map((member) => member.const);
  const others = members.filter((member) => !('const' in member));
  const all = [
    ...others,
    ...(hasBoth ? [{ type: 'boolean' }] : []),
    ...(values.length === 1 ? [{ const: values[0] }] : values.length > 1 ? [{ enum: values }] : []),
  ];
  const isPlain = all.every((one) => typeof one.type === 'string' && Object.keys(one).length === 1);
  if (all.length === 1) return firstOf(all);
  return isPlain ? { type: all.map(({ type }) => type) } : { anyOf: all };
}

/**
 * Returns the name of a type that the server declares without type parameters.
 *
 * @param {ts.Type} type
 */
function nameOf({ aliasSymbol, aliasTypeArguments, symbol }) {
  const isInterface = symbol && symbol.flags & ts.SymbolFlags.Interface;
  const named = aliasSymbol && !aliasTypeArguments ? aliasSymbol : isInterface ? symbol : undefined;
  const [declaration] = named?.declarations ?? [];
  const isOwn = declaration?.getSourceFile().fileName.startsWith(SOURCES);
  const isGeneric = declaration && 'typeParameters' in declaration && declaration.typeParameters;
  return isOwn && !isGeneric ? named?.name : undefined;
}

/**
 * @template One
 * @param {readonly One[]} list
 * @returns {One}
 */
function firstOf([first]) {
  if (first === undefined) throw new TypeError('the list is empty');
  return first;
}
