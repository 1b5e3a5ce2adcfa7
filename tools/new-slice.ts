/**
 * `npm run new-slice gifts -- "Gifts people send to performers."`: writes a small, complete slice that
 * compiles and passes its tests, lists it in product/order.ts, makes it in product/wiring.ts and lists its
 * texts in product/message-files.d.ts. Then change what it does.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { inMessageFiles, inOrder, inWiring } from './slice/register.ts';
import { skeleton } from './slice/skeleton.ts';

const root = new URL('..', import.meta.url).pathname;
const [slice = '', given = ''] = process.argv.slice(2);
const sentence = given || `What ${slice} is, in one sentence.`;

if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(slice)) {
  console.error(
    'name the slice after its capability, in kebab-case: npm run new-slice gifts -- "One sentence."',
  );
  process.exit(1);
}
if (existsSync(join(root, 'product', slice))) {
  console.error(`product/${slice} is there already`);
  process.exit(1);
}
const read = (path: string): string => readFileSync(join(root, path), 'utf8');
// Everything is made before anything is written, so that a failure leaves nothing behind.
const files = new Map([
  ...skeleton(slice, sentence),
  ['product/order.ts', inOrder(read('product/order.ts'), slice, sentence)] as const,
  ['product/wiring.ts', inWiring(read('product/wiring.ts'), slice)] as const,
  ['product/message-files.d.ts', inMessageFiles(read('product/message-files.d.ts'), slice)] as const,
]);
for (const [path, text] of files) {
  mkdirSync(dirname(join(root, path)), { recursive: true });
  writeFileSync(join(root, path), text);
  console.log(path);
}
console.log(`\nNow: npm run generate, then npx vitest run --project unit product/${slice}`);
