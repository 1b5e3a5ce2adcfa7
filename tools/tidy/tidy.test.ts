import { execFileSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { EXTENSION_POINTS_PAGE, extensionPointsPage } from '../generate/extension-points.ts';
import { README, readmeWithTree } from '../generate/readme-tree.ts';
import { boundaries } from './code/boundaries.ts';
import { names, vocabulary } from './code/names.ts';
import {
  contractsDeclare,
  moduleState,
  namedExports,
  platformWords,
  rulesArePure,
  timeAndChance,
} from './code/purity.ts';
import { sizes } from './code/sizes.ts';
import { storedKeys } from './code/stored.ts';
import { registry, words } from './code/words.ts';
import { cacheWriters } from './content/cache.ts';
import { documentPaths, wiringFollowsOrder } from './content/documents.ts';
import { extensionPoints } from './content/extensions.ts';
import { sqlFunctions } from './content/functions.ts';
import { glossary } from './content/glossary.ts';
import { tableOwners, testsWrite } from './content/tables.ts';
import { titles } from './content/titles.ts';
import {
  formsUseTheLayer,
  keysPassTheGuard,
  literalText,
  pagesLoadNoShapes,
  thirdParties,
} from './content/web.ts';
import { callsAnswered, messages } from './content/wire.ts';
import { formsOfAddress } from './texts/address.ts';
import { textValues, unusedTexts } from './texts/keys.ts';
import { typedNames } from './texts/typed.ts';
import { readTree, type Problem, type Tree } from './tree.ts';

const root = new URL('../..', import.meta.url).pathname;
const tree = readTree(root);
const shown = (problems: readonly Problem[]): string[] =>
  problems.map(({ file, line, rule, advice }) => `${file}:${line}  ${rule}: ${advice}`).sort();

describe('the tree', () => {
  it.each<[string, (tree: Tree) => Problem[]]>([
    ['imports go down, never to another slice\'s store', boundaries],
    ['every slice uses the same file names', vocabulary],
    ['every file and folder has a telling name', names],
    ['files, functions and lines keep their size', sizes],
    ['exports have names', namedExports],
    ['modules hold no state', moduleState],
    ['time and chance come through ports', timeAndChance],
    ['contracts only declare', contractsDeclare],
    ['rules are pure', rulesArePure],
    ['the platform knows no product word', platformWords],
    ['every table has one owner, an operator and row-level security', tableOwners],
    ['tests write no other slice\'s tables', testsWrite],
    ['every SQL function has a file of its own', sqlFunctions],
    ['every extension point is offered, called and implemented', extensionPoints],
    ['every call has one handler and a test', callsAnswered],
    ['every text is there in six languages', messages],
    ['every text is used', unusedTexts],
    ['texts are given their values', textValues],
    ['every language has one form of address', formsOfAddress],
    ['components hold no literal text', literalText],
    ['names that people chose are isolated', typedNames],
    ['pages ask nobody else for anything', thirdParties],
    ['components never write to the query cache', cacheWriters],
    ['what browsers store is in one list', storedKeys],
    ['pages load no shapes', pagesLoadNoShapes],
    ['forms use the layer', formsUseTheLayer],
    ['keys pass the guard of input methods', keysPassTheGuard],
    ['documents name files that exist', documentPaths],
    ['the slices are wired in their order', wiringFollowsOrder],
    ['nothing is left for later or switched off', words],
    ['dependencies are pinned and public', registry],
    ['test titles claim known requirements', titles],
    ['one word per idea, the glossary\'s', (item) => glossary(item)],
  ])('%s', (_title, rule) => {
    expect(shown(rule(tree))).toEqual([]);
  });

  it.each([
    'tools/generate/protocol.ts',
    'tools/generate/clients.ts',
    'tools/generate/tables.ts',
    'tools/upkeep/licences.ts',
  ])('what %s generates is current', (tool) => {
    const check = (): string =>
      execFileSync('node', ['--import', 'tsx', tool, '--check'], {
        cwd: root,
        stdio: ['ignore', 'pipe', 'pipe'],
        encoding: 'utf8',
        timeout: 60_000,
        killSignal: 'SIGKILL',
      });
    expect(check).not.toThrow();
  });

  it('the page of extension points and the tree in README are current', () => {
    expect(tree.files.get(EXTENSION_POINTS_PAGE)).toBe(extensionPointsPage(tree));
    expect(tree.files.get(README)).toBe(readmeWithTree(tree));
  });
});
