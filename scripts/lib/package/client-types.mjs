import path from 'node:path';
import ts from 'typescript';

/** Reads the types of the procedures. It is only in memory. */
const SOURCE = `
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from './router';
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;
export type ErrorShape = AppRouter['_def']['_config']['$types']['errorShape'];
type Kind<T> = T extends { _def: { type: infer Type } } ? Type : { [Name in keyof T]: Kind<T[Name]> };
export type Kinds = Kind<AppRouter['_def']['record']>;
`;

/** A deeper type refers to itself. */
const MAX_DEPTH = 20;

/**
 * Returns the declaration of the type \`AppRouter\` for \`@trpc/client\`, with every type written out: it imports only tRPC.
 *
 * @returns {string}
 */
export function describeClientTypes() {
  const { checker, module } = openModule(path.resolve('server/of-the-client.ts'));

  /** @param {string} name */
  function typeOf(name) {
    const [declared] = module.statements.filter(
      (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
    );
    if (!declared) throw new TypeError(`there is no type ${name}`);
    return checker.getTypeAtLocation(declared);
  }

  /**
   * @param {ts.Type} type
   * @param {string} name
   */
  function propertyOf(type, name) {
    const property = checker.getPropertyOfType(type, name);
    if (!property) throw new TypeError(`there is no property ${name}`);
    return checker.getTypeOfSymbolAtLocation(property, module);
  }

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
      return `${JSON.stringify(property.name)}${mark}: ${inner(checker.getTypeOfSymbolAtLocation(property, module))}`;
    });
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value }) => `[key: ${checker.typeToString(keyType)}]: ${inner(value)}`);
    return `{ ${[...indexes, ...fields].join('; ')} }`;
  }

  /** @param {ts.Type} type */
  function typeArgumentsOf(type) {
    return checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
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

/**
 * Opens the module as a file that is not on the disk.
 *
 * @param {string} file
 */
function openModule(file) {
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const parsed = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, process.cwd());
  const options = { ...parsed.options, incremental: false };
  const host = ts.createCompilerHost(options);
  const { getSourceFile, fileExists, readFile } = host;
  host.fileExists = (name) => name === file || fileExists(name);
  host.readFile = (name) => (name === file ? SOURCE : readFile(name));
  host.getSourceFile = (name, ...rest) =>
    name === file ? ts.createSourceFile(name, SOURCE, rest[0]) : getSourceFile(name, ...rest);
  const program = ts.createProgram([file], options, host);
  const module = program.getSourceFile(file);
  if (!module) throw new TypeError(`${file} was not read`);
  return { checker: program.getTypeChecker(), module };
}
