import type { OutputOf } from '#platform/contract/call.ts';
import type { Tx } from '#platform/data/data.ts';
import { updateProfile } from '#product/accounts/contract.ts';
import {
  confirmProfile,
  confirmTest,
  giveDocument,
  giveIdentity,
  givePayoutCountry,
  handInApplication,
  uploadDocument,
  uploadSelfie,
} from '#product/identity/contract.ts';
import { decideApplication, listApplications, openApplication } from '#product/identity/contract/review.ts';
import type { Reason, Step } from '#product/identity/rules.ts';
import type { Services } from '#product/wiring.ts';
import sharp from 'sharp';
import type { Visitor } from '../visitor.ts';

/** Clears somebody who does not exist, with the evidence `seed`; returns the clearance's id. */
export async function clearsBySeed(
  { compliance, identity }: Pick<Services, 'compliance' | 'identity'>,
  tx: Tx,
  id: number,
  reason = 'seen by the testkit',
): Promise<number> {
  const clearanceId = await compliance.clear(tx, id, null, reason);
  await identity.seedEvidence(tx, id, clearanceId);
  return clearanceId;
}

/** The first step of somebody who is thirty at the start of the virtual clock. */
export const WHO = {
  legal_name: 'Ludmilla Fernsby-Ott',
  birth_date: '1996-01-15',
  country: 'DE',
  aliases: ['Milla Sparrowhawk', 'Ludmilla Ott'],
};
export const DOCUMENT = {
  kind: 'identity_card' as const,
  country: 'DE',
  number_end: 'X7K2',
  expires_on: '2049-05-05',
};

/** A small picture of one colour, as a form with a file. */
export async function pictureForm(background = '#0af'): Promise<{ form: FormData; bytes: Buffer }> {
  const bytes = await sharp({ create: { width: 320, height: 200, channels: 3, background } }).jpeg()
    .toBuffer();
  return { form: fileForm(bytes), bytes };
}
/** A form with one file, as far as a visitor reads it: the window of a page test has forms of its own. */
export const fileForm = (bytes: Uint8Array): FormData =>
  ({ get: () => ({ arrayBuffer: async () => Uint8Array.from(bytes).buffer }) }) as unknown as FormData;

/** Gives every step that is asked for. */
export async function givesEveryStep(performer: Visitor): Promise<void> {
  await performer.call(giveIdentity, WHO);
  await performer.call(giveDocument, DOCUMENT);
  for (const side of ['front', 'back'] as const) {
    await performer.call(uploadDocument, { side }, { form: (await pictureForm()).form });
  }
  await performer.call(uploadSelfie, {}, { form: (await pictureForm('#fa0')).form });
  await performer.call(givePayoutCountry, { country: 'DE' });
  await performer.call(updateProfile, { about: 'I play the harp.', languages: ['de'] });
  await performer.call(confirmProfile, {});
  await performer.call(confirmTest, { width: 1_280, height: 720, has_audio: true });
}

/** Gives every step and hands the application in. */
export async function applies(performer: Visitor): Promise<OutputOf<typeof handInApplication>> {
  await givesEveryStep(performer);
  return performer.call(handInApplication, {});
}

/** A reviewer opens the application of somebody that is in the queue. */
export async function opens(reviewer: Visitor, { username }: { readonly username: string }) {
  const { lines } = await reviewer.call(listApplications, {});
  const line = lines.find((one) => one.username === username);
  if (!line) throw new Error(`no application of ${username} waits`);
  return reviewer.call(openApplication, { id: line.id, reason: 'review', note: '' });
}
type Opened = Awaited<ReturnType<typeof opens>>;

/** A decision that accepts every step but those with a reason. */
export const decisionOf = (
  { id, look, steps }: Pick<Opened, 'id' | 'look' | 'steps'>,
  rejected: Partial<Record<Step, Reason>> = {},
  note = '',
) => ({
  id,
  look,
  second_look: false,
  note: '',
  steps: steps.map(({ step }) => {
    const reason = rejected[step];
    return reason === undefined
      ? { step, accepted: true, note: '' }
      : { step, accepted: false, reason, note };
  }),
});

/** A reviewer opens an application and decides about it. */
export async function reviews(
  reviewer: Visitor,
  performer: { readonly username: string },
  rejected: Partial<Record<Step, Reason>> = {},
  note = '',
): Promise<OutputOf<typeof decideApplication>> {
  return reviewer.call(decideApplication, decisionOf(await opens(reviewer, performer), rejected, note));
}
