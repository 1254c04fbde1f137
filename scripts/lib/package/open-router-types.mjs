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

/** Opens the types of the router, as a client sees them. */
export function openRouterTypes() {
  const { checker, module } = openModule(path.resolve('server/of-the-client.ts'));

  /** @param {'Inputs' | 'Outputs' | 'ErrorShape' | 'Kinds'} name */
  function typeOf(name) {
    const [declared] = module.statements.filter(
      (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
    );
    if (!declared) throw new TypeError(`there is no type ${name}`);
    return checker.getTypeAtLocation(declared);
  }

  /** @param {ts.Symbol} property */
  function typeOfProperty(property) {
    return checker.getTypeOfSymbolAtLocation(property, module);
  }

  /**
   * @param {ts.Type} type
   * @param {string} name
   */
  function propertyOf(type, name) {
    const property = checker.getPropertyOfType(type, name);
    if (!property) throw new TypeError(`there is no property ${name}`);
    return typeOfProperty(property);
  }

  /** @param {ts.Type} type */
  function typeArgumentsOf(type) {
    return checker.getTypeArguments(/** @type {ts.TypeReference} */ (type));
  }

  return { checker, typeOf, typeOfProperty, propertyOf, typeArgumentsOf };
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
