import ts from 'typescript';
import { openRouterTypes } from './open-router-types.mjs';

/** A deeper type refers to itself. */
const MAX_DEPTH = 20;

/**
 * Returns the declaration of the type \`AppRouter\` for \`@trpc/client\`, with every type written out: it imports only tRPC.
 *
 * @returns {string}
 */
export function describeClientTypes() {
  const { checker, typeOf, typeOfProperty, propertyOf, typeArgumentsOf } = openRouterTypes();

  /**
   * @param {ts.Type} type
   * @param {number} [depth]
   * @returns {string}
   */
  function print(type, depth = 0) {
    if (depth > MAX_DEPTH) throw new TypeError(`${checker.typeToString(type)} is too deep`);
    const inner = (/** @type {ts.Type} */ one) => print(one, depth + 1);
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isUnion()) return [...new Set(type.types.map(inner))].map((one) => `(${one})`).join(' | ');
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
    if (checker.isTupleType(type)) return `[${typeArgumentsOf(type).map(inner).join(', ')}]`;
    if (checker.isArrayType(type)) return `(${typeArgumentsOf(type).map(inner).join('')})[]`;
    const fields = checker.getPropertiesOfType(type).map((property) => {
      const mark = property.flags & ts.SymbolFlags.Optional ? '?' : '';
      return `${JSON.stringify(property.name)}${mark}: ${inner(typeOfProperty(property))}`;
    });
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value }) => `[key: ${checker.typeToString(keyType)}]: ${inner(value)}`);
    return `{ ${[...indexes, ...fields].join('; ')} }`;
  }

  /**
   * @param {{ kinds: ts.Type, inputs: ts.Type, outputs: ts.Type }} types
   * @param {string} indent
   * @returns {string}
   */
  function printRouter({ kinds, inputs, outputs }, indent) {
    const lines = checker.getPropertiesOfType(kinds).map(({ name }) => {
      const kind = propertyOf(kinds, name);
      const [input, output] = [propertyOf(inputs, name), propertyOf(outputs, name)];
      if (!kind.isStringLiteral())
        return `${indent}${name}: {\n${printRouter({ kinds: kind, inputs: input, outputs: output }, `${indent}  `)}${indent}};\n`;
      const procedure = kind.value === 'query' ? 'TRPCQueryProcedure' : 'TRPCMutationProcedure';
      return `${indent}${name}: ${procedure}<{ input: ${print(input)}; output: ${print(output)}; meta: unknown }>;\n`;
    });
    return lines.join('');
  }

  const record = printRouter(
    { kinds: typeOf('Kinds'), inputs: typeOf('Inputs'), outputs: typeOf('Outputs') },
    '    ',
  );
  return `import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';

/** The procedures of Floodgate, for \`createTRPCClient<AppRouter>\` of \`@trpc/client\`. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ${print(typeOf('ErrorShape'))}; transformer: false },
  {
${record}  }
>;
`;
}
