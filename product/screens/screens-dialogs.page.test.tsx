import { setStandby, setStreamerSettings } from '#product/broadcast/contract/settings.ts';
import { highlightMessage } from '#product/rooms/contract/controls.ts';
import { changeOperatorRules } from '#product/site/contract/operator-rules.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { afterAll, beforeAll, expect, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

test('an alert shows a message, and one button dismisses it [A-095]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  const page = await openRoom(site, viewer, performer);
  await performer.call(highlightMessage, { username: performer.username, message: 'Back at nine' });
  const alert = await page.find('alertdialog');
  await page.sees('Back at nine', { in: alert });
  // The sender's name opens their card; one button answers the alert.
  expect(page.all('button', undefined, { in: alert }).map((element) => element.textContent))
    .toEqual([`@${performer.username}`, 'OK']);
  expect(await page.problems()).toEqual([]);
  await page.press('OK', { in: alert });
  await page.gone('alertdialog');
});

test('a question is rejected or accepted, and only an accepted one is done [A-096]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer()];
  await openRoom(site, viewer, performer);
  const page = await openPage(site, viewer, '/view-history');
  for (const reject of ['Cancel', '{Escape}']) {
    await page.press('Clear history');
    const question = await page.find('alertdialog', 'Clear your viewing history?');
    expect(page.all('button', undefined, { in: question }).map((element) => element.textContent))
      .toEqual(['Cancel', 'Clear']);
    await (reject === 'Cancel' ? page.press(reject, { in: question }) : page.keys(reject));
    await page.gone('alertdialog');
    expect(page.network.sent.filter((one) => one.startsWith('POST') && one.includes('history'))).toEqual([]);
    await page.find('link', new RegExp(performer.person.displayName, 'u'), { in: await page.find('main') });
  }
  await page.press('Clear history');
  await page.press('Clear', { in: await page.find('alertdialog') });
  await page.gone('alertdialog');
  await page.sees('Rooms you visit will be here.');
});

test('each toast is added to the shown ones, and closing one leaves the others [A-221, A-222]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
  const page = await openRoom(site, viewer, performer);
  const shown = () => page.all('button', 'Dismiss').map(({ parentElement }) => parentElement?.textContent);
  const name = performer.person.displayName;
  await page.press('Tip 25');
  await page.until(() => expect(shown()).toEqual([`You tipped ${name} 25 tokens.`]));
  await page.fill('Tokens', '50', { in: await page.find('form', /^Tip /u) });
  await page.press('Tip 50');
  await page.until(() =>
    expect(shown()).toEqual([`You tipped ${name} 25 tokens.`, `You tipped ${name} 50 tokens.`])
  );
  await page.fill('Tokens', '5', { in: await page.find('form', /^Tip /u) });
  await page.press('Tip 5');
  await page.until(() => expect(shown()).toHaveLength(3));
  await page.click(page.all('button', 'Dismiss')[1] as HTMLElement);
  await page.until(() =>
    expect(shown()).toEqual([`You tipped ${name} 25 tokens.`, `You tipped ${name} 5 tokens.`])
  );
  // Of two toasts with the same text, the closed one disappears.
  await page.fill('Tokens', '5', { in: await page.find('form', /^Tip /u) });
  await page.press('Tip 5');
  await page.until(() => expect(shown()).toHaveLength(3));
  const [, other, closed] = page.all('button', 'Dismiss');
  await page.click(closed as HTMLElement);
  await page.until(() =>
    expect(shown()).toEqual([`You tipped ${name} 25 tokens.`, `You tipped ${name} 5 tokens.`])
  );
  expect([other?.isConnected, closed?.isConnected]).toEqual([true, false]);
});

test('a toast is added whatever is shown, up to three, but for an error that is shown [A-221]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
  const page = await openRoom(site, viewer, performer);
  const shown = () =>
    ['alert', 'status'].map((role) =>
      page.all('button', 'Dismiss')
        .filter((item) => item.closest(`[role=${role}]`)).map(({ parentElement }) =>
          parentElement?.textContent
        )
    );
  const tipped = (tokens: number) => `You tipped ${performer.person.displayName} ${tokens} tokens.`;
  const tips = async (tokens: number): Promise<void> => {
    await page.fill('Tokens', String(tokens), { in: await page.find('form', /^Tip /u) });
    await page.press(`Tip ${tokens}`);
  };
  await tips(25);
  await page.until(() => expect(shown()).toEqual([[], [tipped(25)]]));
  await tips(25);
  await page.until(() => expect(shown()).toEqual([[], [tipped(25), tipped(25)]]));
  await tips(5);
  await page.until(() => expect(shown()).toEqual([[], [tipped(25), tipped(25), tipped(5)]]));
  await tips(6);
  await page.until(() => expect(shown()).toEqual([[], [tipped(25), tipped(5), tipped(6)]]));
  await site.anotherTabOf(performer, { region: 'SE' });
  const refused = [expect.stringMatching(/^Tipping Unavailable: /u)];
  await tips(7);
  await page.until(() => expect(shown()).toEqual([refused, [tipped(5), tipped(6)]]));
  const answers = () => page.network.sent.filter((text) => /^POST .*"amount":7\b/u.test(text));
  await tips(7);
  await page.until(() => expect(answers()).toHaveLength(2));
  await page.idle();
  expect(shown()).toEqual([refused, [tipped(5), tipped(6)]]);
});

test('all toasts are closed at once, errors too [A-224]', async () => {
  const [performer, viewer] = [await site.performer({ live: true }), await site.viewer({ tokens: 100 })];
  const page = await openRoom(site, viewer, performer);
  await page.press('Tip 25');
  await page.sees(/^You tipped .* 25 tokens\.$/u);
  expect(page.all('button', 'Dismiss all')).toEqual([]);
  await site.anotherTabOf(performer, { region: 'SE' });
  await page.press('Tip 25');
  await page.sees(/^Tipping Unavailable: /u);
  expect(await page.problems()).toEqual([]);
  await page.press('Dismiss all');
  await page.gone('button', /^Dismiss/u);
  expect(page.shows(/^Tipping Unavailable: |^You tipped/u)).toBe(false);
});

test('all news are closed at once [A-224]', async () => {
  const [performer, admin] = [await site.performer(), await site.admin()];
  await admin.call(changeOperatorRules, { standby_domains: ['localhost'], reason: 'seen in a test' });
  await performer.call(setStreamerSettings, { standby_notifications_enabled: true });
  await performer.call(setStandby, { on: true });
  const page = await openPage(site, performer, '/go-live');
  await page.until(() => expect(page.network.texts.at(-1)?.text).toBe('["v3.lobby.start",{}]'));
  for (const who of [await site.viewer(), await site.viewer()]) {
    await who.joins(performer);
    await page.sees(`${who.person.displayName} came into your room`);
  }
  await page.press('Dismiss all');
  await page.gone('button', /^Dismiss/u);
  expect(page.shows(/came into your room/u)).toBe(false);
});
