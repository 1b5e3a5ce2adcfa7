import { uuidV4 } from '#platform/data/ids.ts';
import { openRoom } from '#product/testkit/pages/open-page.tsx';
import { openShop } from '#product/testkit/payments/open-shop.ts';
import type { Member } from '#product/testkit/site.ts';
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { sendNotice } from './contract/controls.ts';

type Page = Awaited<ReturnType<typeof openRoom>>;
type Rgb = readonly [number, number, number];
type Theme = ReadonlyMap<string, Rgb>;

const shop = await openShop();
const { site } = shop;

const css = readFileSync(new URL('../../platform/ui/tokens.css', import.meta.url), 'utf8');
/** Custom properties that one rule of the design declares, by name. */
function declaredIn(selector: string): ReadonlyMap<string, string> {
  const rule = css.slice(css.indexOf(selector)).match(/\{([^}]*)\}/u)?.[1] ?? '';
  return new Map([...rule.matchAll(/--([a-z-]+):\s*([^;]+);/gu)]
    .map(([, name = '', value = '']) => [name, value]));
}
/** The colours of a theme, by the names used in classes. */
function themeOf(values: ReadonlyMap<string, string>): Theme {
  const hexOf = (value: string): string => {
    const named = /^var\(--([a-z-]+)\)$/u.exec(value)?.[1];
    return named === undefined ? value : hexOf(values.get(named) ?? '');
  };
  return new Map([...values].flatMap(([name, value]) => {
    const hex = hexOf(value);
    if (!/^#[0-9a-f]{6}$/iu.test(hex)) return [];
    const [red, green, blue] = [1, 3, 5].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
    return [[name.replace(/^brand-/u, ''), [red ?? 0, green ?? 0, blue ?? 0]]];
  }));
}
const dark = declaredIn('  :root {');
const THEMES = {
  dark: themeOf(dark),
  light: themeOf(new Map([...dark, ...declaredIn(`  :root[data-theme='light'] {`)])),
};

function colorIn(theme: Theme, name: string): Rgb {
  const color = theme.get(name);
  if (!color) throw new Error(`the design has no colour ${name}`);
  return color;
}
/** Contrast as WCAG 2 defines it. */
function contrast(one: Rgb, other: Rgb): number {
  const luminance = (color: Rgb): number => {
    const [red = 0, green = 0, blue = 0] = color.map((part) => part / 255)
      .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4));
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
  };
  const [low = 0, high = 0] = [luminance(one), luminance(other)].toSorted((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}
/** The background colour that classes paint over `ground`, hover state included. */
function painted(theme: Theme, ground: Rgb, classes: string): Rgb {
  const [, name, percent = '100'] = /(?:^|[\s:])bg-([a-z]+)(?:\/(\d+))?(?!\S)/u.exec(classes) ?? [];
  if (name === undefined || name === 'transparent') return ground;
  const paint = colorIn(theme, name);
  const share = Number(percent) / 100;
  const [red, green, blue] = ground.map((part, at) => part + ((paint[at] ?? 0) - part) * share);
  return [red ?? 0, green ?? 0, blue ?? 0];
}

/** The lowest contrast of any text in a chat line with the background behind it. */
function leastContrast(theme: Theme, line: HTMLElement): number {
  const walk = (element: Element, ink: Rgb, ground: Rgb): number => {
    // Symbols of the menu and of badges are not text.
    if (element.matches('[data-line-menu], svg, .sr-only')) return Infinity;
    const classes = element.getAttribute('class') ?? '';
    const name = [...classes.matchAll(/(?:^|\s)text-([a-z-]+)(?!\S)/gu)].map(([, one = '']) => one)
      .find((text) => theme.has(text));
    const [own, behind] = [name === undefined ? ink : colorIn(theme, name), painted(theme, ground, classes)];
    const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim());
    const here = hasText ? contrast(own, behind) : Infinity;
    return Math.min(here, ...[...element.children].map((child) => walk(child, own, behind)));
  };
  return walk(line, colorIn(theme, 'text'), colorIn(theme, 'surface'));
}

/** A line of the chat, found by part of its text, and the sender's name in it. */
async function lineOf(page: Page, words: string): Promise<{ line: HTMLElement; name: HTMLElement | null }> {
  const list = await page.find('list', 'Chat');
  return page.until(() => {
    const line = page.all('listitem', undefined, { in: list })
      .find((element) => element.textContent?.includes(words));
    if (!line) throw new Error(`nobody reads ${words}`);
    return { line, name: line.querySelector('strong') };
  });
}
const has = (element: HTMLElement | null, look: string): boolean =>
  element?.classList.contains(look) ?? false;

/** Every style, produced by its real cause: who writes what, and how it must look. */
async function saidInAllStyles(performer: Member, reader: Member) {
  const memberWith = async (membership: string): Promise<Member> => {
    const member = await site.viewer();
    await shop.buys(member, membership);
    return member;
  };
  const senders = [
    [performer, 'text-accent', true],
    [await site.performer(), 'text-accent', false],
    [await memberWith('membership_super_vip'), 'text-warning-text', false],
    [await memberWith('membership_vip'), 'text-success-text', false],
    [await site.viewer({ tokens: 1 }), 'text-link', false],
    [await site.viewer(), 'text-muted', false],
  ] as const;
  for (const [sender] of senders) {
    const socket = await sender.joins(performer);
    await site.says(socket, `it is ${sender.username} for @somebody`);
    await site.says(socket, `called by ${sender.username}: @${reader.username}`);
    await socket.leaves();
  }
  const tipper = await site.viewer({ tokens: 5_000 });
  const tips = [
    [14, 'bg-pink/5', false],
    [15, 'bg-pink/10', false],
    [100, 'bg-pink/15', false],
    [500, 'bg-pink/20', true],
    [1_000, 'bg-pink/25', true],
  ] as const;
  for (const [amount] of tips) {
    const { statusCode } = await tipper.request({
      method: 'POST',
      url: `/api/v1/tip/${performer.username}`,
      headers: { 'idempotency-key': uuidV4() },
      payload: { amount, comment: `worth ${amount}, @somebody` },
    });
    expect(statusCode).toBe(200);
  }
  await performer.call(sendNotice, { username: performer.username, message: 'Be kind, all of you' });
  await site.settle();
  return { senders, tips };
}

/** Expects the room's chat to show all of these styles. */
async function expectStyles(
  page: Page,
  { senders, tips }: Awaited<ReturnType<typeof saidInAllStyles>>,
): Promise<void> {
  const { line: notice } = await lineOf(page, 'Be kind, all of you');
  expect(['italic', 'text-muted'].filter((look) => has(notice, look))).toEqual(['italic', 'text-muted']);
  for (const [{ username }, color, isBold] of senders) {
    const { line, name } = await lineOf(page, `it is ${username}`);
    expect([username, has(name, color), has(line, 'font-bold'), has(line, 'italic')])
      .toEqual([username, true, isBold, false]);
  }
  for (const [amount, background, isStrong] of tips) {
    const { line } = await lineOf(page, `worth ${amount}, @somebody`);
    expect([amount, has(line, background), has(line, 'font-medium')]).toEqual([amount, true, isStrong]);
  }
}

test(
  'who reads along sees each message in its style at once, readable in both themes [B-168, B-360]',
  async () => {
    const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
    const page = await openRoom(site, viewer, performer);
    await page.press('Chat settings');
    await page.press('Show times', { role: 'checkbox' });
    const said = await saidInAllStyles(performer, viewer);
    await expectStyles(page, said);
    const { line } = await lineOf(page, `called by ${said.senders[0][0].username}`);
    expect(has(line, 'bg-blue/10')).toBe(true);
    const lines = page.all('listitem', undefined, { in: await page.find('list', 'Chat') });
    expect(lines).toHaveLength(2 * said.senders.length + said.tips.length + 1);
    // Each was appended below the earlier ones.
    const order = said.senders.map(([{ username }]) =>
      lines.findIndex(({ textContent }) => textContent?.includes(`it is ${username}`))
    );
    expect(order).toEqual(order.toSorted((number, other) => number - other));
    for (const [name, theme] of Object.entries(THEMES)) {
      for (const one of lines) {
        expect(one.querySelector('time')).not.toBeNull();
        expect(leastContrast(theme, one), `${name}: ${one.textContent}`).toBeGreaterThanOrEqual(4.5);
      }
    }
    expect(await page.problems()).toEqual([]);
    // Live messages are compact frames, which leave out empty fields.
    const texts = page.network.texts.filter(({ from, text }) => from === 'site' && text.includes('Be kind'));
    expect(texts.map(({ text }) => [/^\[\d+,/u.test(text), text.includes('"italic","muted"')]))
      .toEqual([[true, true]]);
  },
);

test('who comes later sees the same styles in the history [B-168]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const said = await saidInAllStyles(performer, viewer);
  await expectStyles(await openRoom(site, viewer, performer), said);
});

test('a reply stands out on the page of whom it answers, and on no other', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  await page.fill('Message', 'Is it raining?');
  (await page.field('Message')).focus();
  await page.keys('{Enter}');
  await lineOf(page, 'Is it raining?');
  const other = await site.viewer();
  const theirs = await openRoom(site, other, performer);
  await lineOf(theirs, 'Is it raining?');
  (await theirs.find('list', 'Chat')).focus();
  await theirs.keys('{ArrowUp}');
  await theirs.keys('{Enter}');
  await theirs.press('Reply', { role: 'menuitem' });
  await theirs.sees(/^Reply to/u);
  await theirs.fill('Message', 'All day');
  (await theirs.field('Message')).focus();
  await theirs.keys('{Enter}');
  expect(has((await lineOf(theirs, 'All day')).line, 'bg-blue/10')).toBe(false);
  const again = await openRoom(site, viewer, performer);
  const { line: reply } = await lineOf(again, 'All day');
  await again.until(() => expect(has(reply, 'bg-blue/10')).toBe(true));
  expect(has((await lineOf(again, 'Is it raining?')).line, 'bg-blue/10')).toBe(false);
});
