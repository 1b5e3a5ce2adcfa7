import type { PageActions } from './page-actions.ts';

type Tone = 'news' | 'success' | 'error';
/** Edge and region of each tone: how people who see, and screen readers, recognize it. */
const LOOKS: Readonly<Record<Tone, { readonly edge: string; readonly role: string }>> = {
  news: { edge: 'border-l-blue', role: 'status' },
  success: { edge: 'border-l-online', role: 'status' },
  error: { edge: 'border-l-danger', role: 'alert' },
};
const TONES = Object.keys(LOOKS) as Tone[];

/** The visible toasts, each with its tone and its text; the tone is null if a toast mixes two. */
export const toastsOf = (page: PageActions): (readonly [Tone | null, string])[] =>
  ['alert', 'status'].flatMap((region) =>
    page.all(region)
      .flatMap((part) =>
        page.all('button', 'Dismiss', { in: part }).map(({ parentElement: line }) => {
          const tone = TONES.find((item) =>
            LOOKS[item].role === region
            && line?.classList.contains(LOOKS[item].edge)
          );
          return [tone ?? null, line?.firstElementChild?.textContent ?? ''] as const;
        })
      )
  );

/** Waits until exactly one toast has this text, in this tone. */
export const seesToast = (page: PageActions, tone: Tone, text: string): Promise<void> =>
  page.until(() => {
    const found = toastsOf(page).filter(([, words]) => words === text);
    if (found.length !== 1 || found[0]?.[0] !== tone) {
      throw new Error(`no toast ${tone} «${text}» but ${JSON.stringify(toastsOf(page))}`);
    }
  });
