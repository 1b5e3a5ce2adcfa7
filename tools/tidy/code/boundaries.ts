import type { Import, Source } from '../source.ts';
import { isTest, partOf, sliceOf, type Problem, type Tree } from '../tree.ts';

/** Parts without input or output, which every file may import: no Node, no browser, no packages. */
const PURE = ['text', 'time'];

/** Which parts of the platform each part stands on, besides the pure ones. */
const PLATFORM: Readonly<Record<string, readonly string[]>> = {
  text: [],
  time: [],
  contract: ['contract'],
  data: ['contract', 'data'],
  http: ['contract', 'data', 'http'],
  realtime: ['contract', 'data', 'realtime', 'address'],
  streaming: ['contract', 'data', 'streaming', 'address'],
  payments: ['contract', 'data', 'payments', 'address'],
  'age-verification': ['data', 'payments', 'age-verification'],
  outgoing: ['outgoing'],
  identities: ['data', 'identities'],
  images: ['images'],
  ui: ['contract', 'ui', 'browser'],
};

type Role =
  | 'contract'
  | 'rules'
  | 'store'
  | 'points'
  | 'server'
  | 'web'
  | 'messages'
  | 'tables'
  | 'test'
  | 'other';

interface Reach {
  /** Roles it may import within its own slice. */
  readonly own: readonly Role[];
  /** Roles it may import from earlier slices. */
  readonly earlier: readonly Role[];
  readonly platform: readonly string[];
  /** Packages it may import; null for any. */
  readonly packages: RegExp | null;
}

const SERVER_PARTS = [
  'contract',
  'data',
  'http',
  'address',
  'realtime',
  'streaming',
  'payments',
  'outgoing',
  'identities',
  'age-verification',
  'images',
];
const SHARED: Reach = {
  own: ['contract', 'rules'],
  earlier: ['contract', 'rules'],
  platform: ['contract'],
  packages: /^zod$/,
};
const SERVER: Reach = {
  own: ['contract', 'rules', 'store', 'points', 'server', 'messages', 'other'],
  earlier: ['contract', 'rules', 'points', 'server'],
  platform: SERVER_PARTS,
  packages: null,
};
const REACH: Readonly<Record<Role, Reach>> = {
  contract: SHARED,
  rules: SHARED,
  store: {
    ...SHARED,
    own: ['contract', 'rules', 'store'],
    platform: ['contract', 'data'],
    packages: /^(?:kysely|zod)$/,
  },
  points: {
    own: ['contract', 'rules'],
    earlier: ['contract', 'rules', 'points', 'server'],
    platform: ['contract', 'data'],
    packages: /^zod$/,
  },
  server: SERVER,
  other: SERVER,
  web: {
    own: ['contract', 'rules', 'web', 'messages', 'other'],
    earlier: ['contract', 'rules', 'web'],
    platform: ['contract', 'ui', 'browser'],
    packages: /^(?!node:|fastify|pg$|kysely|sharp|pino|ws$)/,
  },
  test: { ...SERVER, own: [...SERVER.own, 'web', 'tables'], platform: [...SERVER_PARTS, 'ui', 'browser'] },
  messages: SHARED,
  tables: SHARED,
};

/**
 * What the last slices gather from all slices before them: texts for the shell, everything for a whole site.
 */
const GATHERERS: Readonly<Record<string, readonly Role[]>> = {
  screens: ['messages', 'web'],
  testkit: ['messages', 'tables', 'web', 'other'],
};
/** Folders above product and platform, and which of each other they may import. */
const ABOVE: Readonly<Record<string, readonly string[]>> = {
  programs: ['programs'],
  bench: ['bench', 'e2e', 'programs', 'tools'],
  e2e: ['e2e', 'programs', 'tools'],
  tools: ['tools', 'bench', 'e2e', 'programs'],
};

export function roleOf(inside: string): Role {
  if (isTest(inside)) return 'test';
  const folder = /^(web|messages|tables|contract|server|rules|store)\//.exec(inside)?.[1];
  if (folder) return folder as Role;
  if (inside === 'client.ts') return 'contract';
  if (inside === 'extension-points.ts') return 'points';
  const named = /^(contract|rules|store|server)\.ts$/.exec(inside)?.[1];
  return (named ?? 'other') as Role;
}

/**
 * The part of the platform a file belongs to: its folder, `browser` for what may run in a page, or `address`,
 * which other parts read too.
 */
function partFor(path: string): string | null {
  if (path === 'platform/http/address.ts') return 'address';
  return path.endsWith('/browser.ts') ? 'browser' : partOf(path);
}

/** Imports go down: to earlier slices, to the platform, never to a store of another slice. */
export function boundaries(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const source of tree.sources.values()) {
    for (const one of source.imports) {
      const advice = faultOf(tree, source, one);
      if (advice) problems.push({ file: source.path, line: one.line, rule: 'boundaries', advice });
    }
  }
  return problems;
}

function faultOf(tree: Tree, source: Source, one: Import): string | null {
  const own = sliceOf(source.path);
  const part = partOf(source.path);
  if (one.target === null) {
    if (one.kind === 'path') return null;
    if (/^[.#]/.test(one.specifier)) return missingTarget(one);
    return packageFault(source, one);
  }
  if (isTest(one.target) && one.kind !== 'path') {
    return `imports the test ${one.target}; move what both need out of it`;
  }
  const misspelt = spellingFault(source.path, one, one.target);
  if (misspelt !== null) return misspelt;
  const inside = innerFault(source.path, one.target);
  if (inside !== null) return inside;
  const top = one.target.split('/')[0] ?? '';
  if (
    top in ABOVE && !(ABOVE[source.path.split('/')[0] ?? ''] ?? []).includes(top)
    && one.target.includes('/')
  ) {
    return configures(source.path)
      ? null
      : `imports ${one.target}, which stands above it; turn the dependency round`;
  }
  if (part) return platformFault(source, part, one.target);
  if (own) return sliceFault(tree, own.slice, roleOf(own.inside), one.target);
  const target = sliceOf(one.target);
  const inner = target && ['store', 'tables'].includes(roleOf(target.inside)) && one.kind !== 'path';
  return inner ? `imports ${one.target}; go through the slice's calls or its service` : null;
}

/** What is read together: a slice, a part of the platform, or a folder at the root. */
function unitOf(path: string): string {
  const [top = '', inner = '', ...rest] = path.split('/');
  return ['platform', 'product'].includes(top) && rest.length > 0 ? `${top}/${inner}` : top;
}

/** One spelling for each import: relative within a unit, `#` and the path from the root outside it. */
function spellingFault(from: string, { kind, specifier }: Import, target: string): string | null {
  if (kind === 'path' || !from.includes('/') || !/\.(?:ts|tsx|mts)$/.test(from)) return null;
  const isOutside = unitOf(from) !== unitOf(target) && !specifier.startsWith('./');
  if (isOutside === specifier.startsWith('#')) return null;
  return isOutside
    ? `write #${target} for ${specifier}, which leaves ${unitOf(from)}`
    : `write ${specifier} relative to this file, as both are in ${unitOf(from)}`;
}

/** What stands in a slice's `server/` is its own; others take what its `server.ts` exports. */
function innerFault(from: string, target: string): string | null {
  const to = sliceOf(target);
  if (!to?.inside.startsWith('server/') || sliceOf(from)?.slice === to.slice) return null;
  return `${target} is inside ${to.slice}; take what its server.ts or extension-points.ts exports`;
}

/** Configuration at the root names what it runs. */
const configures = (path: string): boolean => !path.includes('/');

function missingTarget(one: Import): string | null {
  if (/\.(?:css|svg|png|webp|json|txt|sql)(?:\?\w+)?$/.test(one.specifier)) return null;
  if (/\/\+types\//.test(one.specifier) || /\/(?:dist|build)\//.test(one.specifier)) return null;
  const suffixed = /\.(?:tsx?|mjs)$/.test(one.specifier);
  return suffixed
    ? `imports ${one.specifier}, which does not exist`
    : `write ${one.specifier} with its .ts or .tsx`;
}

function packageFault(source: Source, one: Import): string | null {
  const own = sliceOf(source.path);
  const part = partOf(source.path) ?? '';
  if (part === 'contract' && !isTest(source.path)) {
    return one.specifier === 'zod' ? null : `imports ${one.specifier}; the contract stands on zod alone`;
  }
  if (PURE.includes(part) && !isTest(source.path)) {
    return `imports ${one.specifier}; platform/${part} is pure and imports no package`;
  }
  if (!own) return null;
  const allowed = REACH[roleOf(own.inside)].packages;
  if (!allowed || allowed.test(one.specifier)) return null;
  return `a slice's ${roleOf(own.inside)} may not import ${one.specifier}; do that in server.ts or platform/`;
}

function platformFault(source: Source, part: string, target: string): string | null {
  if (sliceOf(target)) return `platform knows no product; take what you need of ${target} as a parameter`;
  const to = partFor(target);
  if (to === null || PURE.includes(to)) return null;
  const from = partFor(source.path) ?? part;
  const allowed = from === 'browser' ? ['contract', 'browser'] : PLATFORM[part];
  if (!allowed) {
    return `platform/${part} is not in architecture.md; add it there and in tools/tidy/code/boundaries.ts`;
  }
  const test = isTest(source.path) && to !== 'ui';
  return test || allowed.includes(to) || partOf(target) === part
    ? null
    : `platform/${from} may not import ${target}; it stands on ${allowed.join(', ')}`;
}

function sliceFault(tree: Tree, slice: string, role: Role, target: string): string | null {
  const reach = REACH[role];
  const part = partFor(target);
  const rest = 'see architecture.md §1';
  if (part) {
    const allowed = slice === 'testkit' ? [...SERVER_PARTS, 'browser', 'ui'] : reach.platform;
    const may = PURE.includes(part) || allowed.includes(part);
    return may ? null : `a ${role} file may not import ${target}; ${rest}`;
  }
  const to = sliceOf(target);
  if (/^product\/[^/]+$/.test(target) && target !== 'product/order.ts' && slice !== 'testkit') {
    return `${target} builds the site from its slices; only the testkit and programs import it`;
  }
  if (!to) return null;
  const toRole = roleOf(to.inside);
  if (to.slice === slice) {
    return slice === 'testkit' || reach.own.includes(toRole)
      ? null
      : `a ${role} file may not import its slice's ${toRole}: contract ← rules ← store ← server, `
        + 'contract, rules ← web';
  }
  if (role === 'test' && to.slice === 'testkit') return null;
  const [from, at] = [tree.slices.indexOf(slice), tree.slices.indexOf(to.slice)];
  if (at < 0 || from < 0) return null;
  if (at > from) {
    return `${slice} stands before ${to.slice} in product/order.ts; publish a fact or declare an `
      + 'extension point instead';
  }
  const gathers = GATHERERS[slice] ?? [];
  if (reach.earlier.includes(toRole) || gathers.includes(toRole)) return null;
  return `a ${role} file may import ${reach.earlier.join(', ')} of an earlier slice, not its ${toRole}`;
}
