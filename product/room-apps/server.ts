import { subscribe, type Slice } from '#platform/contract/bind.ts';
import { topicChannel } from '#platform/contract/event.ts';
import { implement } from '#platform/contract/extension-point.ts';
import type { Data, Tx } from '#platform/data/data.ts';
import { recordingChanged } from '#product/recordings/contract.ts';
import type { RecordingsService } from '#product/recordings/server.ts';
import { roomParts } from '#product/rooms/extension-points.ts';
import { roomTopic } from '#product/rooms/rules.ts';
import { partSource } from '#product/rooms/server.ts';
import { toolsChanged } from '#product/tips/contract/tools.ts';
import type { TipsService } from '#product/tips/server.ts';
import { appsChanged, roomAppsPart } from './contract.ts';
import { modulesOf } from './rules.ts';

interface RoomAppsDependencies {
  readonly data: Data;
  readonly recordings: RecordingsService;
  readonly tips: TipsService;
}

/** Games and toys in the room: none can be installed yet. The performer's running tools are its modules. */
export function roomAppsSlice({ data, recordings, tips }: RoomAppsDependencies): Slice<null> {
  const runningModules = async (tx: Tx, performerId: number): Promise<number[]> => {
    const { hasGoal, hasMenu } = await tips.toolsOf(tx, performerId);
    const { isRecording } = await recordings.publicRecordingOf(tx, performerId);
    return modulesOf({ tip_goal: hasGoal, tip_menu: hasMenu, recording: isRecording });
  };
  const sendModules = ({ operatorId, payload: { performerId } }: {
    readonly operatorId: number;
    readonly payload: { readonly performerId: number };
  }): Promise<void> =>
    data.tx({ operatorId }, async (tx) =>
      tx.send(topicChannel(roomTopic(performerId)), appsChanged, {
        app_ids: [],
        module_ids: await runningModules(tx, performerId),
      }));
  return {
    name: 'room-apps',
    service: null,
    extensions: [
      implement(
        roomParts,
        partSource({
          part: roomAppsPart,
          load: async (tx, _caller, performerId) => ({
            ...roomAppsPart.empty,
            chat: { installedAppId: null, installedModuleIdList: await runningModules(tx, performerId) },
          }),
          loadUpdate: async (tx, performerId) => ({
            app_ids: [],
            module_ids: await runningModules(tx, performerId),
          }),
        }),
      ),
    ],
    subscriptions: [
      subscribe(toolsChanged, 'room-apps.toolsChanged')(sendModules),
      subscribe(recordingChanged, 'room-apps.recordingChanged')(sendModules),
    ],
  };
}
