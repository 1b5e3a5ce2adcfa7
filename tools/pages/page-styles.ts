import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { compile } from '@tailwindcss/node';
import { Scanner } from '@tailwindcss/oxide';
import { PAGE_STYLES } from '../../product/testkit/page-styles.ts';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const FILE = join(ROOT, '.cache/page-styles.css');

/** Before the first page test: compiles the styles from the sources, as the build does. */
const setUp = async (): Promise<void> => {
  const folder = join(ROOT, 'platform/ui');
  const compiler = await compile(readFileSync(join(folder, 'tokens.css'), 'utf8'), {
    base: folder, onDependency: () => undefined,
  });
  mkdirSync(join(ROOT, '.cache'), { recursive: true });
  writeFileSync(FILE, compiler.build(new Scanner({ sources: compiler.sources }).scan()));
  process.env[PAGE_STYLES] = FILE;
};

export default setUp;
