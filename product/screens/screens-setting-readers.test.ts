import { updateSettings } from '#product/accounts/contract/settings.ts';
import { settingsPart } from '#product/accounts/extension-points.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

/** Settings that nothing reads yet, each with the open requirement. */
const UNREAD: Readonly<Record<string, string>> = {
  speeddate: 'A-199',
  versus: 'A-199',
  streaming_partners_enabled: 'A-201',
  sell_snapchat: 'A-294',
  sell_snapchat_duration: 'A-294',
  sell_snapchat_price: 'A-294',
};

const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));
/** Code that acts on settings: neither their contract and defaults, nor pages that show and save them. */
const sources = readdirSync(at('..'), { encoding: 'utf8', recursive: true })
  .filter((path) => /\.tsx?$/u.test(path) && !/\.test\.tsx?$|^testkit\/|\/client\.ts$/u.test(path))
  .filter((path) => !/^accounts\/(?:(?:contract|rules)\/settings\.ts$|web\/(?:settings|pages)\/)/u.test(path))
  .map((path) => readFileSync(at(`../${path}`), 'utf8'));

/** Whether any code reads this setting of a person. */
const isRead = (key: string): boolean => {
  const patterns = [
    String.raw`(?:settings|account|me)(?:\(\))?\??\.${key}\b`,
    String.raw`settings ->> '${key}'`,
    String.raw`settings: \{ ${key}\b`,
    String.raw`\{ ${key}\b[^}]*\}: Pick<SettingsView`,
  ];
  return sources.some((source) => patterns.some((pattern) => new RegExp(pattern, 'u').test(source)));
};

it('every setting that is stored belongs to a slice or is read by one, or is named as open', () => {
  const owned = new Set<string>(site.extensions.all(settingsPart).flatMap(({ keys }) => keys));
  const keys = Object.keys(updateSettings.input.shape);
  expect(keys.length).toBeGreaterThan(30);
  const unread = keys.filter((key) => !owned.has(key) && !isRead(key));
  expect(unread.toSorted()).toEqual(Object.keys(UNREAD).toSorted());
  const open = readFileSync(at('../../spec/open.tsv'), 'utf8').split('\n');
  for (const [key, id] of Object.entries(UNREAD)) {
    const line = open.find((text) => text.startsWith(`${id}\t`)) ?? '';
    expect([key, line.split('\t')[1]?.includes(key)]).toEqual([key, true]);
  }
});
