import type { Member } from '../../site.ts';
import type { PageActions } from './page-actions.ts';

type Rated = Pick<Member, 'person'>;

/** The question that a page asks after a show of a performer. */
const question = ({ person: { displayName } }: Rated): string => `How was the show? Rate ${displayName}.`;

/** Whether the page asks how a show was. */
export const isAskedToRate = (page: PageActions, performer: Rated): boolean =>
  page.shows(question(performer));

/**
 * Waits until the page asks how a show was: in a card over the video, and not in a dialog, which would
 * block somebody who is about to tip. @returns the card
 */
export async function seesRatingCard(page: PageActions, performer: Rated): Promise<HTMLElement> {
  const { parentElement: card } = await page.sees(question(performer));
  if (page.all('dialog', /^Rate /u).length > 0) throw new Error('a dialog opened by itself');
  if (card === null) throw new Error('a question without a card');
  return card;
}

/** Closes the card once it is there. */
export async function closesRatingCard(page: PageActions, performer: Rated): Promise<void> {
  await page.press('Not now', { in: await seesRatingCard(page, performer) });
  await page.until(() => {
    if (isAskedToRate(page, performer)) throw new Error('the card is still there');
  });
}
