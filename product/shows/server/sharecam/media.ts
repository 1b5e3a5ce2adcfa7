import { handleCall, type CallHandler } from '#platform/contract/bind.ts';
import type { OperatorScope } from '#platform/data/data.ts';
import { playSharecam, publishSharecam, sharecamUnknown } from '../../contract/sharecam.ts';
import type { ShowsDependencies } from '../dependencies.ts';
import { sharecamWith } from './requests.ts';
import type { RunningSharecams } from './running.ts';

/** Keys and tokens for the media of running cameras. */
export function sharecamMediaHandlers(deps: ShowsDependencies, sharecams: RunningSharecams): CallHandler[] {
  const { data, broadcast: { cameras } } = deps;
  const streamFor = async (
    { scope, personId }: { readonly scope: OperatorScope; readonly personId: number },
    username: string,
  ): Promise<string | null> => {
    const row = await data.tx(scope, (tx) => sharecamWith(deps, tx, personId, username));
    return row === null ? null : sharecams.streamOf(scope.operatorId, row.id);
  };
  return [
    // Only the camera's viewer gets a key, and only its performer a token.
    handleCall(publishSharecam)(async ({ username }, context) => {
      const stream = await streamFor(context, username);
      const key = stream === null ? null : cameras.keyFor(stream, context);
      return key ?? context.refuse(sharecamUnknown);
    }),
    handleCall(playSharecam)(async ({ username }, context) => {
      const stream = await streamFor(context, username);
      const playback = stream === null ? null : cameras.playbackOf(stream, context);
      return playback ?? context.refuse(sharecamUnknown);
    }),
  ];
}
