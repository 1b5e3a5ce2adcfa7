import { readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { parseSource, type Source } from './source.ts';

/** One breach of a convention: where, which rule, and what to do about it. */
export interface Problem {
  readonly file: string;
  readonly line: number;
  readonly rule: string;
  readonly advice: string;
}

/** The work tree as the rules see it; tests build small ones from memory. Paths are relative, with `/`. */
export interface Tree {
  readonly files: ReadonlyMap<string, string>;
  readonly sources: ReadonlyMap<string, Source>;
  /** The slices in their written order. */
  readonly slices: readonly string[];
}

/** What is made, fetched or private to a machine, and therefore nobody's style. */
const OUTSIDE = new Set(['.git', 'node_modules', 'var', 'dist', 'build', '.cache', '.react-router']);
const TEXT = /\.(?:tsx?|mjs|css|sql|json|md|tsv|ids|txt|html|ya?ml)$|(?:^|\/)\.ci\/run$/;
const SOURCE = /\.(?:tsx?|mjs)$/;

/** Reads every text file below `root`. */
export const readTree = (root: string): Tree => treeOf(readFiles(root));

/** Paths and texts of the files of a folder; those that are no text are empty. */
export function readFiles(root: string): Map<string, string> {
  const files = new Map<string, string>();
  const visit = (folder: string): void => {
    for (const entry of readdirSync(join(root, folder), { withFileTypes: true })) {
      const path = posix.join(folder, entry.name);
      if (entry.isDirectory()) {
        if (!OUTSIDE.has(entry.name)) visit(path);
      } else if (entry.isFile()) {
        files.set(path, TEXT.test(path) ? readFileSync(join(root, path), 'utf8') : '');
      }
    }
  };
  visit('.');
  return files;
}

/** A tree from paths and texts. */
export function treeOf(files: ReadonlyMap<string, string>): Tree {
  const sources = new Map<string, Source>();
  for (const [path, text] of files) if (SOURCE.test(path)) sources.set(path, parseSource(path, text));
  for (const source of sources.values()) source.resolve(files);
  const listed = files.get('product/order.ts') ?? '';
  const slices = [...listed.matchAll(/^\s*\['([\w-]+)'/gm)].map((match) => match[1] ?? '');
  return { files, sources, slices };
}

export const isTest = (path: string): boolean => /\.(?:test|prove)\.tsx?$/.test(path);

/** The slice a file belongs to, or null; `inside` is its path within the slice. */
export function sliceOf(path: string): { slice: string; inside: string } | null {
  const match = /^product\/([^/]+)\/(.+)$/.exec(path);
  return match ? { slice: match[1] ?? '', inside: match[2] ?? '' } : null;
}

/** The platform part a file belongs to, or null. */
export const partOf = (path: string): string | null => /^platform\/([^/]+)\//.exec(path)?.[1] ?? null;

/** Whether a file runs in the browser (or in its server rendering). */
export const isWeb = (path: string): boolean =>
  /^(?:product\/[^/]+\/web\/|platform\/ui\/|platform\/[^/]+\/browser\.ts$)/.test(path);

/** Line number, from 1, of an offset in a text. */
export const lineAt = (text: string, offset: number): number => text.slice(0, offset).split('\n').length;
