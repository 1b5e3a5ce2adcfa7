import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import { playSharecam, publishSharecam, sharecamUnknown } from '../../contract/sharecam.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { sharecamWith } from './requests.ts';
import type { RunningSharecams } from './running.ts';

/** Keys and tokens for the media of running cameras. */
export function sharecamMediaHandlers(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler[] {
  const { data, broadcast: { cameras } } = deps;
  return [
    handleCall(publishSharecam)(async ({ username }, context) => {
      const row = await data.tx(context.scope, (tx) => sharecamWith(deps, tx, context.personId, username));
      const stream = row === null ? null : sharecams.streamOf(context.scope.operatorId, row.id);
      // Only the camera's viewer gets a key, and only its performer a token.
      const key = stream === null ? null : cameras.keyFor(stream, context);
      return key ?? context.refuse(sharecamUnknown);
    }),
    handleCall(playSharecam)(async ({ username }, context) => {
      const row = await data.tx(context.scope, (tx) => sharecamWith(deps, tx, context.personId, username));
      const stream = row === null ? null : sharecams.streamOf(context.scope.operatorId, row.id);
      const playback = stream === null ? null : cameras.playbackOf(stream, context);
      return playback ?? context.refuse(sharecamUnknown);
    }),
  ];
}
