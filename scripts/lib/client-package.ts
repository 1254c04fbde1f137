import { cp, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import ts from 'typescript';
import { runOrThrow } from './processes.mjs';

const NAME = 'floodgate-client';

const README = `# ${NAME}

The types of Floodgate's procedures, for \`@trpc/client\`. No code.

\`\`\`ts
import { createTRPCClient, httpBatchLink } from '@trpc/client';
import type { AppRouter } from '${NAME}';

const client = createTRPCClient<AppRouter>({
  links: [httpBatchLink({ url: 'http://localhost:3000/api/trpc', maxItems: 10 })],
});
const { coupons } = await client.coupon.list.query();
\`\`\`

A refused call throws a \`TRPCClientError<AppRouter>\` whose \`data.rateLimit\` names the level and the time to retry.
`;

/** Packs the types of the procedures. Returns the path of the tarball. */
export async function buildClientPackage(folder = 'dist/client'): Promise<string> {
  const building = `${folder}.building`;
  await rm(building, { recursive: true, force: true });
  await mkdir(building, { recursive: true });
  const { version, license, dependencies } = JSON.parse(await readFile('package.json', 'utf8'));
  const manifest = {
    name: NAME,
    version,
    description: 'The types of Floodgate for @trpc/client.',
    license,
    type: 'module',
    files: ['index.d.ts'],
    exports: { '.': { types: './index.d.ts' } },
    types: './index.d.ts',
    peerDependencies: Object.fromEntries(
      ['@trpc/client', '@trpc/server'].map((name) => [name, `^${dependencies[name]}`]),
    ),
  };
  await Promise.all([
    writeFile(path.join(building, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`),
    writeFile(path.join(building, 'index.d.ts'), await describeClientTypes()),
    writeFile(path.join(building, 'README.md'), README),
    cp('LICENSE', path.join(building, 'LICENSE')),
  ]);
  await runOrThrow('npm', ['pack', '--pack-destination', '.', '--ignore-scripts'], {
    cwd: building,
    problem: 'The types were not packed:',
    hint: 'Run: npm run package:client',
  });
  await rm(folder, { recursive: true, force: true });
  await rename(building, folder);
  return path.join(folder, `${NAME}-${version}.tgz`);
}

/** A deeper type refers to itself. */
const MAX_DEPTH = 20;

/** Returns the declaration of the type `AppRouter`, with every type written out: it imports only tRPC. */
async function describeClientTypes(): Promise<string> {
  const { checker, typeOf, typeOfProperty, propertyOf } = await openRouterTypes();
  const argumentsOf = (type: ts.Type) => checker.getTypeArguments(type as ts.TypeReference);

  function print(type: ts.Type, depth = 0): string {
    if (depth > MAX_DEPTH) throw new TypeError(`${checker.typeToString(type)} is too deep`);
    const inner = (one: ts.Type) => print(one, depth + 1);
    if (type.flags & ts.TypeFlags.Boolean) return 'boolean';
    if (type.isUnion()) return [...new Set(type.types.map(inner))].map((one) => `(${one})`).join(' | ');
    if (!(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))) return checker.typeToString(type);
    if (checker.isTupleType(type)) return `[${argumentsOf(type).map(inner).join(', ')}]`;
    if (checker.isArrayType(type)) return `(${argumentsOf(type).map(inner).join('')})[]`;
    const fields = checker.getPropertiesOfType(type).map((property) => {
      const mark = property.flags & ts.SymbolFlags.Optional ? '?' : '';
      return `${JSON.stringify(property.name)}${mark}: ${inner(typeOfProperty(property))}`;
    });
    const indexes = checker
      .getIndexInfosOfType(type)
      .map(({ keyType, type: value }) => `[key: ${checker.typeToString(keyType)}]: ${inner(value)}`);
    return `{ ${[...indexes, ...fields].join('; ')} }`;
  }

  function printRouter(kinds: ts.Type, inputs: ts.Type, outputs: ts.Type, indent: string): string {
    const lines = checker.getPropertiesOfType(kinds).map(({ name }) => {
      const kind = propertyOf(kinds, name);
      const [input, output] = [propertyOf(inputs, name), propertyOf(outputs, name)];
      if (!kind.isStringLiteral())
        return `${indent}${name}: {\n${printRouter(kind, input, output, `${indent}  `)}${indent}};\n`;
      const procedure = kind.value === 'query' ? 'TRPCQueryProcedure' : 'TRPCMutationProcedure';
      return `${indent}${name}: ${procedure}<{ input: ${print(input)}; output: ${print(output)}; meta: unknown }>;\n`;
    });
    return lines.join('');
  }

  const record = printRouter(typeOf('Kinds'), typeOf('Inputs'), typeOf('Outputs'), '    ');
  return `import type { TRPCBuiltRouter, TRPCMutationProcedure, TRPCQueryProcedure } from '@trpc/server';

/** The procedures of Floodgate, for \`createTRPCClient<AppRouter>\` of \`@trpc/client\`. */
export type AppRouter = TRPCBuiltRouter<
  { ctx: object; meta: object; errorShape: ${print(typeOf('ErrorShape'))}; transformer: false },
  {
${record}  }
>;
`;
}

/** Infers the types of the procedures, as a client sees them. */
const ROUTER_TYPES = `
import type { inferRouterInputs, inferRouterOutputs } from '@trpc/server';
import type { AppRouter } from '../server/router';
export type Inputs = inferRouterInputs<AppRouter>;
export type Outputs = inferRouterOutputs<AppRouter>;
export type ErrorShape = AppRouter['_def']['_config']['$types']['errorShape'];
type Kind<T> = T extends { _def: { type: infer Type } } ? Type : { [Name in keyof T]: Kind<T[Name]> };
export type Kinds = Kind<AppRouter['_def']['record']>;
`;

/** Opens the types of the router with the TypeScript compiler. */
async function openRouterTypes() {
  const file = path.resolve('.data/router-types.ts');
  await mkdir(path.dirname(file), { recursive: true });
  await writeFile(file, ROUTER_TYPES);
  const { config } = ts.readConfigFile('tsconfig.json', ts.sys.readFile);
  const { options } = ts.parseJsonConfigFileContent({ ...config, include: [], files: [] }, ts.sys, '.');
  const program = ts.createProgram([file], { ...options, incremental: false });
  const checker = program.getTypeChecker();
  const module = program.getSourceFile(file);
  if (!module) throw new TypeError(`${file} was not read`);

  function typeOf(name: 'Inputs' | 'Outputs' | 'ErrorShape' | 'Kinds'): ts.Type {
    const declared = module?.statements.find(
      (statement) => ts.isTypeAliasDeclaration(statement) && statement.name.text === name,
    );
    if (!declared) throw new TypeError(`there is no type ${name}`);
    return checker.getTypeAtLocation(declared);
  }

  const typeOfProperty = (property: ts.Symbol) => checker.getTypeOfSymbol(property);

  function propertyOf(type: ts.Type, name: string): ts.Type {
    const property = checker.getPropertyOfType(type, name);
    if (!property) throw new TypeError(`there is no property ${name}`);
    return typeOfProperty(property);
  }

  return { checker, typeOf, typeOfProperty, propertyOf };
}
