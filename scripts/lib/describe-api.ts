import path from 'node:path';
import ts from 'typescript';
import { StepError } from './steps.mjs';

/** A coding agent reads the whole text, so it stays short. */
const MAX_LINES = 150;

/** The exports that the program of a user needs, in this order. Other exports of these entry points are listed by name. */
const DESCRIBED: Record<string, readonly string[]> = {
  '.': [
    ...[
      'createLimiter',
      'LimiterOptions',
      'Limiter',
      'definePolicy',
      'NamedPolicy',
      'NamedLevel',
      'CallOptions',
    ],
    ...[
      'Admitted',
      'Refused',
      'byPlan',
      'keyedBy',
      'shared',
      'holdLease',
      'rateLimitHeaders',
      'normalizeAddress',
    ],
    ...['pseudonymOf', 'isFloodgateError'],
  ],
  './stores': ['ioredisStore', 'nodeRedisStore', 'restStore', 'memoryStore'],
  './trpc': ['createTrpcLimits', 'rateLimit', 'unlimited', 'policiesOf', 'rateLimitErrorData'],
  './express': ['rateLimit', 'ExpressLimitOptions'],
};

/** Members that only tools of operators need, and those that `Refused` shares with `Admitted`. */
const UNDESCRIBED = new Set([
  ...[
    'Limiter.decide',
    'Limiter.cachedRefusal',
    'Limiter.peekByPseudonym',
    'Limiter.pseudonymOf',
    'Limiter.warn',
  ],
  ...['Limiter.effectivePolicy', 'Limiter.changeOverrides', 'Limiter.releaseRequestId', 'Limiter.ipv6Prefix'],
  ...['Limiter.testStore', 'Limiter.breakerState', 'Limiter.release', 'Limiter.renew', 'Refused.policy'],
  ...['Refused.now', 'Refused.levels', 'Refused.shadowRefusals', 'Refused.degraded', 'NamedLevel.by'],
]);

/** Types whose members are only named if the text is too long, in this order. */
const FOLDED = ['CallOptions', 'Refused', 'Admitted', 'ExpressLimitOptions', 'NamedPolicy', 'LimiterOptions'];

/** The manifest of a package. */
export interface ApiPackage {
  name: string;
  version: string;
  description: string;
  exports: Record<string, string | { import: string }>;
}

/** Returns the text of `llms.txt`: the exports of a built package with their signatures and first sentences. */
export function describeApi(folder: string, manifest: ApiPackage): string {
  const entries = Object.entries(manifest.exports).flatMap(([entry, target]) =>
    typeof target === 'string'
      ? []
      : [{ entry, file: path.resolve(folder, target.import.replace(/\.mjs$/, '.d.mts')) }],
  );
  const program = ts.createProgram(
    entries.map(({ file }) => file),
    // Types of Node and of the peers are shown as they are written.
    { module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext, types: [] },
  );
  for (let folded = 0; folded <= FOLDED.length; folded += 1) {
    const isFolded = (name: string) => FOLDED.slice(0, folded).includes(name);
    const sections = entries.map((entry) => describeEntry(program, { ...entry, manifest, isFolded }));
    const lines = [...introduce(manifest), ...sections.flat()];
    if (lines.length < MAX_LINES) return `${lines.join('\n')}\n`;
  }
  const hint = 'Describe less in scripts/lib/describe-api.ts.';
  throw new StepError(`llms.txt has more than ${MAX_LINES} lines`, { hint });
}

function introduce({ name, version, description }: ApiPackage): string[] {
  return [
    ...[`# ${name} ${version}`, ''],
    ...[`> ${description} Written from the types of the package.`, ''],
    'A policy names its levels; a call gives one subject for each level except `global`. `check` returns a decision: a refusal is',
    'a value, and only a failure throws. Times are in ms. Create one limiter for each process, and policies once, not per call.',
  ];
}

interface Entry {
  /** As in `exports`: `./express`. */
  entry: string;
  file: string;
  manifest: ApiPackage;
  /** Returns true for a type whose members are only named. */
  isFolded: (name: string) => boolean;
}

function describeEntry(program: ts.Program, { entry, file, manifest, isFolded }: Entry): string[] {
  const checker = program.getTypeChecker();
  const source = program.getSourceFile(file);
  const module = source && checker.getSymbolAtLocation(source);
  if (!module) throw new StepError(`${entry} of the package has no types.`);
  const symbols = checker
    .getExportsOfModule(module)
    .toSorted((one, other) => rank(entry, one) - rank(entry, other));
  const described = symbols.filter(({ name }) => isDescribed(entry, name));
  const others = symbols.filter((symbol) => !described.includes(symbol)).map(({ name }) => name);
  return [
    ...['', `## ${manifest.name}${entry.slice(1)}`, ''],
    ...described.flatMap((symbol) => {
      const target = symbol.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(symbol) : symbol;
      return describeExport(checker, { name: symbol.name, target, isFolded: isFolded(symbol.name) });
    }),
    ...(others.length > 0 ? [`- Also: ${others.join(', ')}`] : []),
  ];
}

/** Without a list, describes the functions: they begin with a small letter, types with a capital one. */
const isDescribed = (entry: string, name: string) => DESCRIBED[entry]?.includes(name) ?? /^[a-z]/.test(name);

const rank = (entry: string, { name }: ts.Symbol) => DESCRIBED[entry]?.indexOf(name) ?? 0;

interface Described {
  name: string;
  target: ts.Symbol;
  isFolded: boolean;
}

/** Returns a line for a value; for a type its first sentence, and a line for each member. */
function describeExport(checker: ts.TypeChecker, { name, target, isFolded }: Described): string[] {
  const doc = firstSentence(checker, target);
  if (target.flags & ts.SymbolFlags.Value) return [line('-', signatureOf(name, target), doc)];
  const members = checker
    .getPropertiesOfType(checker.getDeclaredTypeOfSymbol(target))
    .filter((member) => !UNDESCRIBED.has(`${name}.${member.name}`));
  if (isFolded) return [`- \`${name}\`: ${members.map((member) => member.name).join(', ')}`];
  return [
    line('-', name, doc),
    ...members.map((member) => line('  -', signatureOf(member.name, member), firstSentence(checker, member))),
  ];
}

function line(bullet: string, signature: string, doc: string): string {
  return `${bullet} \`${cut(signature, 150)}\`${doc && `: ${cut(doc, 180)}`}`;
}

function cut(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text;
}

/** Returns the declaration of a function, method or property without comments, on one line. */
function signatureOf(name: string, { declarations = [], flags }: ts.Symbol): string {
  const [declaration] = declarations;
  const isOptional = flags & ts.SymbolFlags.Optional ? '?' : '';
  if (!declaration) return name + isOptional;
  if (ts.isFunctionDeclaration(declaration) || ts.isMethodSignature(declaration)) {
    const parameters = declaration.parameters.map(textOf).join(', ');
    return `${name}(${parameters}): ${declaration.type ? textOf(declaration.type) : 'unknown'}`;
  }
  const type =
    (ts.isPropertySignature(declaration) || ts.isVariableDeclaration(declaration)) && declaration.type;
  return `${name}${isOptional}${type ? `: ${textOf(type)}` : ''}`;
}

function textOf(node: ts.Node): string {
  return node
    .getText()
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\b_\$_\w+\./g, '')
    .replace(/\s+/g, ' ');
}

function firstSentence(checker: ts.TypeChecker, symbol: ts.Symbol): string {
  const text = ts.displayPartsToString(symbol.getDocumentationComment(checker)).replace(/\s+/g, ' ');
  return /^.*?[.](?= [A-Z]|$)/.exec(text)?.[0] ?? text;
}
