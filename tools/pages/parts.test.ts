import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { withParts, withRouteParts } from './parts.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

it('puts each part behind the loader, by its name', () => {
  const made = withParts([
    'const A = lazy(() => import(\'./input/emoji-panel.tsx\'));',
    'const B = lazy(async () => ({ default: (await import(\'../../../tips/web/goal-bar.tsx\')).GoalBar }));',
    'void import(\'hls.js/light\').then(use);',
    'type C = typeof import(\'./list.tsx\');',
  ].join('\n')) ?? '';
  expect(made.split('\n').map((line) => line.replace(/^import .*?;/u, ''))).toEqual([
    'const A = lazy(() => '
    + 'loadPart("emoji-panel", () => import(\'./input/emoji-panel.tsx\')));',
    'const B = lazy(async () => ({ default: (await loadPart("goal-bar", async () => { '
    + 'const { GoalBar: part } = await import(\'../../../tips/web/goal-bar.tsx\'); '
    + 'return { GoalBar: part }; })).GoalBar }));',
    'void loadPart("hls.js/light", () => import(\'hls.js/light\')).then(use);',
    'type C = typeof import(\'./list.tsx\');',
  ]);
  expect(withParts('const a = 1;')).toBeNull();
});

it('knows how the installed router loads routes', () => {
  const folder = join(ROOT, 'node_modules/react-router/dist/production');
  const made = readdirSync(folder).filter((name) => name.endsWith('.mjs')).flatMap((name) => {
    const code = withRouteParts(readFileSync(join(folder, name), 'utf8'), join(folder, name));
    return code === null ? [] : [code];
  });
  expect(made.length).toBeGreaterThan(0);
  for (const code of made) {
    expect(code).toContain('await loadRoute(route.id, () => import(/* @vite-ignore */ route.module))');
    expect(code).not.toContain('window.location.reload();\n    return new Promise');
  }
});
