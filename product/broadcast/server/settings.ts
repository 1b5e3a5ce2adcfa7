import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OutputOf } from '#platform/contract/call.ts';
import type { PersonContext } from '#platform/contract/context.ts';
import { getStreamerSettings, setStreamerSettings, standbyNotAllowed } from '../contract/settings.ts';
import { OBS_SETTINGS, SESSION_TYPE_CODES } from '../rules.ts';
import { streamKeyMadeAt } from '../store.ts';
import { findStreamerSettings, saveStreamerSettings } from '../store/settings.ts';
import { rtmpUrlOf, whipUrlOf, type BroadcastDependencies } from './dependencies.ts';
import type { Standby } from './standby.ts';

/** Handlers of the streamer settings. */
export function settingsHandlers(deps: BroadcastDependencies, standby: Standby): CallHandler[] {
  const { data } = deps;
  return [
    handleCall(getStreamerSettings)(async (_input, context) =>
      settingsOf(deps, context, await standby.isAllowed(context))
    ),
    handleCall(setStreamerSettings)(async (input, context) => {
      const { personId: performerId } = context;
      const isAllowed = await standby.isAllowed(context);
      if (input.standby_enabled === true && !isAllowed) return context.refuse(standbyNotAllowed);
      await data.tx(context.scope, async (tx) => {
        await saveStreamerSettings(tx, performerId, input);
        if (input.standby_enabled === false) await standby.end(tx, performerId);
      });
      return settingsOf(deps, context, isAllowed);
    }),
  ];
}

async function settingsOf(
  deps: BroadcastDependencies,
  context: PersonContext,
  isAllowed: boolean,
): Promise<OutputOf<typeof getStreamerSettings>> {
  const { data, site } = deps;
  const { personId: performerId } = context;
  const { dreamcamServer } = await site.settingsOf(context.scope);
  return data.tx(context.scope, async (tx) => {
    const { standby_enabled: wantsStandby, ...own } = await findStreamerSettings(tx, performerId);
    return {
      ...own,
      dreamcam: { enabled: dreamcamServer !== null, ingest_server: dreamcamServer },
      obs: {
        whip_server: whipUrlOf(context),
        rtmp_server: rtmpUrlOf(deps, context),
        has_stream_key: (await streamKeyMadeAt(tx, performerId)) !== null,
        settings: OBS_SETTINGS.map((line) => ({ ...line })),
      },
      standby_enabled: wantsStandby && isAllowed,
      standby_allowed: isAllowed,
      session_types: { ...SESSION_TYPE_CODES },
    };
  });
}
