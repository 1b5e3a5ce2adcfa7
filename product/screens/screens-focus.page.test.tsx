import { Dialog } from '#platform/ui/surfaces/dialog.tsx';
import { Section } from '#platform/ui/surfaces/section.tsx';
import { ToastProvider } from '#platform/ui/surfaces/toasts.tsx';
import { Language } from '#platform/ui/text/language.ts';
import { LanguageProvider } from '#platform/ui/text/use-translation.ts';
import { actionBar } from '#product/testkit/pages/look/action-bar.ts';
import { openPage, openRoom } from '#product/testkit/pages/open-page.tsx';
import { privatePerformer } from '#product/testkit/shows/private-show.ts';
import { createSite, type TestSite } from '#product/testkit/site.ts';
import { useState } from 'react';
import { createRoot } from 'react-dom/client';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';

let site: TestSite;
beforeAll(async () => {
  site = await createSite();
});
afterAll(() => site.close());

type Page = Awaited<ReturnType<typeof openPage>>;

/** The gallery's buttons do what the arrow keys do. */
function Parts() {
  const [isOpen, setOpen] = useState(false);
  const [names, setNames] = useState(['one', 'two', 'three']);
  const [asks, setAsks] = useState(false);
  return (
    <Section title="Parts" anchor="parts">
      {isOpen
        ? (
          <div>
            <label>
              Words <input />
            </label>
            <button type="button" onClick={() => setOpen(false)}>Close words</button>
          </div>
        )
        : <button type="button" onClick={() => setOpen(true)}>Write words</button>}
      <ul>
        {names.map((name) => (
          <li key={name}>
            <button type="button" onClick={() => setNames((all) => all.filter((text) => text !== name))}>
              Remove {name}
            </button>
          </li>
        ))}
      </ul>
      {asks ? null : (
        <p>
          <button type="button" onClick={() => setAsks(true)}>Ask</button>
        </p>
      )}
      {asks
        ? (
          <Dialog title="Sure?" onClose={() => setAsks(false)}>
            <button type="button" onClick={() => setAsks(false)}>Not sure</button>
          </Dialog>
        )
        : null}
    </Section>
  );
}

async function opensParts(): Promise<{ readonly page: Page; readonly host: HTMLElement }> {
  const page = await openPage(site, await site.visitor({ ofAge: true }), '/privacy');
  const host = document.body.appendChild(document.createElement('div'));
  const root = createRoot(host);
  onTestFinished(() => {
    root.unmount();
    host.remove();
  });
  const spoken = { language: new Language('en', { ui: {} }), source: async () => ({}) };
  root.render(
    <LanguageProvider value={spoken}>
      <ToastProvider>
        <Parts />
      </ToastProvider>
    </LanguageProvider>,
  );
  await page.find('button', 'Write words', { in: host });
  return { page, host };
}

/** Presses a button with a key, as people without a pointer do. */
async function enters(page: Page, name: string, host: HTMLElement): Promise<void> {
  (await page.find('button', name, { in: host })).focus();
  await page.keys('{Enter}');
}
const isAt = (page: Page, name: string, host: HTMLElement) =>
  page.until(async () => expect(page.focused).toBe(await page.find('button', name, { in: host })));

test('a panel in the place of its button takes the focus, then the button again', async () => {
  const { page, host } = await opensParts();
  await enters(page, 'Write words', host);
  await page.until(() => expect(page.focused).toBe(host.querySelector('input')));
  await enters(page, 'Close words', host);
  await isAt(page, 'Write words', host);
});

test('what leaves a list gives the focus to the next of it, and the last one to what is left', async () => {
  const { page, host } = await opensParts();
  await enters(page, 'Remove two', host);
  await isAt(page, 'Remove three', host);
  await page.keys('{Enter}');
  // It was the last of the list, so the next button of the section takes the focus.
  await isAt(page, 'Ask', host);
});

test('whoever went on to something else keeps it when what they left is gone', async () => {
  const { page, host } = await opensParts();
  const other = await page.find('button', 'Ask', { in: host });
  const leaving = await page.find('button', 'Remove one', { in: host });
  leaving.focus();
  other.focus();
  leaving.click();
  await page.until(() => expect(page.all('button', 'Remove one', { in: host })).toEqual([]));
  await page.idle();
  expect(page.focused).toBe(other);
});

test('a question whose button is gone leaves the focus in the place it was asked in', async () => {
  const { page, host } = await opensParts();
  await enters(page, 'Ask', host);
  await page.find('button', 'Not sure');
  // The button is gone while the dialog is open, and comes back as a new element.
  await page.press('Not sure');
  await page.until(() => expect(host.querySelector('section')?.contains(page.focused)).toBe(true));
});

test('in the bar of a room the focus stays in the bar, and comes back from a panel', async () => {
  const performer = await privatePerformer(site, { pricePerMinuteInToken: 60 });
  const page = await openRoom(site, await site.viewer({ tokens: 300 }), performer);
  const bar = await actionBar(page);
  await enters(page, 'Tip menu', bar);
  await page.find('dialog', /^Tip /u);
  await page.keys('{Escape}');
  await isAt(page, 'Tip menu', bar);
  await enters(page, 'Ask for a private show', bar);
  await page.press('Send request', { in: await page.find('dialog', /^Private show with/u) });
  // The waiting state comes in the same step or later; until then the next button of the bar has the focus.
  await page.find('button', 'Withdraw request', { in: bar });
  await page.until(() => expect(bar.contains(page.focused)).toBe(true));
  await page.press('Withdraw request', { in: bar });
  await page.gone('button', 'Withdraw request');
  await page.until(() => expect(bar.contains(page.focused)).toBe(true));
  expect(page.focused?.tagName).toBe('BUTTON');
});
