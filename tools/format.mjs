/**
 * Formats every TypeScript and JavaScript file of the tree, or those that are named; with `--check` it writes
 * nothing, names those that are not formatted, and fails.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { formattedText } from './formatter.mjs';

const LIST = ['ls-files', '-z', '--cached', '--others', '--exclude-standard', '*.ts', '*.tsx', '*.mjs'];

const isCheck = process.argv.includes('--check');
const named = process.argv.slice(2).filter((argument) => !argument.startsWith('--'));
const files = named.length > 0
  ? named
  : execFileSync('git', LIST, { encoding: 'utf8' }).split('\0').filter(Boolean);

const changed = [];
for (const file of files) {
  if (!existsSync(file)) continue;
  const text = readFileSync(file, 'utf8');
  const formatted = formattedText(file, text);
  if (formatted === text) continue;
  changed.push(file);
  if (!isCheck) writeFileSync(file, formatted);
}
if (isCheck && changed.length > 0) {
  console.error(`not formatted (npm run format does it):\n${changed.join('\n')}`);
  process.exitCode = 1;
}
