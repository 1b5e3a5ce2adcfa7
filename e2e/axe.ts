import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
interface Finding {
  readonly id: string;
  readonly impact: string | null;
  readonly nodes: readonly { readonly html: string }[];
}
interface World {
  readonly axe?: { run: (options: object) => Promise<{ violations: Finding[] }> };
}

/** Serious and critical findings of axe on the current state of the page. */
export async function findings(page: Page): Promise<string[]> {
  // Evaluated through the debugger, since the content policy blocks scripts; once per document.
  if (await page.evaluate(() => (globalThis as World).axe === undefined)) await page.evaluate(AXE);
  // Only details of violations are read, and no serious rule needs files to be fetched again.
  const options = { resultTypes: ['violations'], preload: false };
  const violations = await page.evaluate(async (asked) => {
    const { axe } = globalThis as World;
    if (!axe) throw new Error('axe is gone: the page was loaded anew');
    return (await axe.run(asked)).violations;
  }, options);
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

/**
 * The combinations of width and theme to check. Themes differ only in colours, widths in what is shown, and
 * 320 px shows the same as 390 px. So each theme and each width is checked once.
 */
const LOOKS = [
  { theme: 'dark', width: 1440, height: 900, isAsked: true },
  { theme: 'dark', width: 320, height: 640, isAsked: false },
  { theme: 'light', width: 390, height: 844, isAsked: true },
] as const;

const scrollsSideways = (page: Page): Promise<boolean> =>
  page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);

/** Whether the page scrolls past its content, as absolutely positioned hidden text can cause. */
const scrollsIntoNothing = (page: Page): Promise<boolean> =>
  page.evaluate(() => {
    const { documentElement: root, body } = document;
    const end = Math.max(root.clientHeight, body.getBoundingClientRect().bottom + globalThis.scrollY);
    return root.scrollHeight > Math.ceil(end) + 1;
  });

/** Problems of a page in dark and light, on a desktop, on a phone and at 320 px. */
export async function lookProblems(page: Page): Promise<string[]> {
  const problems: string[] = [];
  for (const { theme, width, height, isAsked } of LOOKS) {
    await page.evaluate((look) => document.documentElement.setAttribute('data-theme', look), theme);
    await page.setViewportSize({ width, height });
    if (isAsked) {
      for (const finding of await findings(page)) problems.push(`${theme} ${width}: ${finding}`);
    }
    if (await scrollsSideways(page)) problems.push(`${theme} ${width}: it scrolls sideways`);
    if (await scrollsIntoNothing(page)) problems.push(`${theme} ${width}: it scrolls into nothing`);
  }
  await page.setViewportSize({ width: 1440, height: 900 });
  return problems;
}
