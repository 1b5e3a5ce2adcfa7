import { lineAt, type Problem, type Tree } from '../tree.ts';

/** Notes to oneself belong in an issue, or are done now. */
const UNDONE = /\b(?:TODO|FIXME|XXX|HACK)\b/g;
/** A switched-off check or test hides what it should show. */
const SWITCHED_OFF =
  /@ts-(?:ignore|nocheck)\b|\b(?:it|test|describe)\.(?:only|skip|todo|fails)\(|\b\w+lint-disable(?!-)/g;
const READ = /\.(?:tsx?|mjs|css|sql|json|html)$/;
const PUBLIC_REGISTRY = 'https://registry.npmjs.org/';

/** Nothing is left for later in the code, and nothing is switched off. */
export function words(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  for (const [file, text] of tree.files) {
    if (!READ.test(file) || file.startsWith('tools/tidy')) continue;
    for (const match of text.matchAll(UNDONE)) {
      const advice = `"${match[0]}": do it now, or say as a sentence why it is as it is`;
      problems.push({ file, line: lineAt(text, match.index), rule: 'unfinished', advice });
    }
    for (const match of text.matchAll(SWITCHED_OFF)) {
      const advice = `"${match[0]}": mend what it hides, or name the one rule and the reason`;
      problems.push({ file, line: lineAt(text, match.index), rule: 'switched off', advice });
    }
  }
  return problems;
}

/** The lock file and the packages it names come from the public registry alone, with exact versions. */
export function registry(tree: Tree): Problem[] {
  const problems: Problem[] = [];
  const lock = tree.files.get('package-lock.json') ?? '';
  for (const match of lock.matchAll(/"resolved": "([^"]+)"/g)) {
    if ((match[1] ?? '').startsWith(PUBLIC_REGISTRY)) continue;
    const advice = 'run npm with omit-lockfile-registry-resolved, so that no host is named';
    problems.push(
      { file: 'package-lock.json', line: lineAt(lock, match.index), rule: 'public registry', advice },
    );
  }
  const manifest = tree.files.get('package.json') ?? '';
  for (const match of manifest.matchAll(/^\s+"[^"]+": "([~^][^"]+)"/gm)) {
    const advice = `${match[1]}: pin the version`;
    problems.push({ file: 'package.json', line: lineAt(manifest, match.index), rule: 'pinned', advice });
  }
  return problems;
}
