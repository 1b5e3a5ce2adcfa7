import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OperatorScope, Tx } from '#platform/data/data.ts';
import { clearanceMissing } from '#product/compliance/contract.ts';
import {
  detailsChanged,
  endBroadcast,
  getOwnBroadcast,
  makeBrowserKey,
  notLive,
  rotateStreamKey,
  setDetails,
  tagInvalid,
} from '../contract.ts';
import { readmitEncoder } from '../contract/readmission.ts';
import { checkUpload } from '../contract/upload.ts';
import { plainTitle, slugTags } from '../rules.ts';
import { lastBroadcasts, saveDetails, streamKeyMadeAt } from '../store.ts';
import { performerOf, rtmpUrlOf, whipUrlOf, type BroadcastDependencies } from './dependencies.ts';
import { iceServersOf } from './ice.ts';
import { mayPublish } from './ingest/admission.ts';
import { makeBrowserKey as newBrowserKey, makeStreamKey } from './ingest/keys.ts';
import type { Publishing } from './ingest/publishing.ts';
import type { Standby } from './standby.ts';
import { viewOf } from './views.ts';

/** Ends a broadcast from an encoder: its key was replaced or taken away. */
export async function cutEncoder(
  publishing: Publishing,
  scope: OperatorScope,
  performerId: number,
): Promise<void> {
  await publishing.end(
    scope,
    performerId,
    'key_rotated',
    ({ publishedWith }) => publishedWith === 'stream_key',
  );
}

export async function writeDetails(
  { accounts }: BroadcastDependencies,
  tx: Tx,
  performerId: number,
  title: string,
  tags: string[],
): Promise<void> {
  const person = await accounts.findById(tx, performerId);
  if (!person) throw new Error(`performer ${performerId} has no account`);
  await saveDetails(tx, performerId, title, tags);
  const { username } = person;
  await tx.publish(detailsChanged, `performer:${performerId}`, { performerId, username, title, tags });
}

export function keyHandlers(deps: BroadcastDependencies, publishing: Publishing): CallHandler[] {
  const { data, accounts, compliance, secret, ice } = deps;
  return [
    handleCall(rotateStreamKey)(async (_input, context) => {
      const { personId: performerId } = context;
      const key = await data.tx(context.scope, async (tx) => {
        await accounts.lockCaller(tx, context);
        const clearance = await compliance.clearanceOf(tx, performerId);
        return clearance === null ? null : makeStreamKey(tx, performerId);
      });
      if (key === null) return context.refuse(clearanceMissing);
      // The old key may have been stolen, so its publisher is cut.
      await cutEncoder(publishing, context.scope, performerId);
      return { stream_key: key, whip_url: whipUrlOf(context) };
    }),
    handleCall(makeBrowserKey)(async (_input, context) => {
      const { performerId, sessionId } = performerOf(context);
      const made = await data.tx(context.scope, async (tx) => {
        await accounts.lockCaller(tx, context);
        const may = await mayPublish(deps, tx, performerId);
        return 'refused' in may ? may : newBrowserKey(tx, secret, performerId, sessionId);
      });
      if ('refused' in made) return context.refuse(made.refused);
      return {
        stream_key: made.key,
        whip_url: whipUrlOf(context),
        expiresAt: made.expiresAt.toISOString(),
        ice_servers: iceServersOf(ice, data.clock.now()),
      };
    }),
  ];
}

export function consoleHandlers(
  deps: BroadcastDependencies,
  publishing: Publishing,
  standby: Standby,
): CallHandler[] {
  const { data, compliance } = deps;
  return [
    handleCall(getOwnBroadcast)(async (_input, context) => {
      const { personId: performerId } = context;
      const standbyAllowed = await standby.isAllowed(context);
      return data.tx(context.scope, async (tx) => {
        const { state, title, tags, startedAt, standby: isOn } = await viewOf(tx, performerId);
        // A broadcast that is only `ready` has health too: it says why nothing can be played.
        const { open } = await lastBroadcasts(tx, performerId);
        const keyMadeAt = await streamKeyMadeAt(tx, performerId);
        return {
          state,
          title,
          tags: [...tags],
          startedAt: startedAt?.toISOString() ?? null,
          hasStreamKey: keyMadeAt !== null,
          streamKeyMadeAt: keyMadeAt?.toISOString() ?? null,
          cleared: (await compliance.clearanceOf(tx, performerId)) !== null,
          whipUrl: whipUrlOf(context),
          rtmpUrl: rtmpUrlOf(deps, context),
          standby: isOn,
          standbyAllowed,
          encoderRefused: publishing.refusesEncoder(context.scope, performerId),
          health: open === null ? null : publishing.healthOf(open.stream),
        };
      });
    }),
    handleCall(setDetails)(async (input, context) => {
      const { personId: performerId } = context;
      const tags = slugTags(input.tags);
      if (!tags) return context.refuse(tagInvalid);
      const title = plainTitle(input.title);
      await data.tx(context.scope, (tx) => writeDetails(deps, tx, performerId, title, tags));
      return { status: 1, title, tags };
    }),
    // The server only counts the bytes; the page measures the time.
    handleCall(checkUpload)(async ({ data }) => ({ bytes: data.length })),
    handleCall(endBroadcast)(async (_input, context) => {
      const { personId: performerId } = context;
      const ended = await publishing.endByPerformer(context.scope, performerId);
      return ended ? { status: 1, ...ended } : context.refuse(notLive);
    }),
    handleCall(readmitEncoder)(async (_input, context) => {
      const { personId: performerId } = context;
      const refusal = await publishing.readmitEncoders(context.scope, performerId);
      return refusal === null ? { status: 1 } : context.refuse(refusal);
    }),
  ];
}
