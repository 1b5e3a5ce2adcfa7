import { expect, it, vi } from 'vitest';
import { PushWrapper, type PushSdk } from './wrapper.ts';

function sdkThatSays(said: string[]): PushSdk {
  return {
    current: async () => 'player',
    register: async () => {
      said.push('register');
      return 'player';
    },
    end: async () => {
      said.push('end');
    },
  };
}

it('calls made before the SDK has loaded wait, and run in order once it has [C-357]', async () => {
  const said: string[] = [];
  let loaded: (sdk: PushSdk) => void = () => {};
  const load = vi.fn<() => Promise<PushSdk>>(() =>
    new Promise((resolve) => {
      loaded = resolve;
    })
  );
  const push = new PushWrapper(load);
  const answers = [
    push.call((sdk) => sdk.register()),
    push.call(async (sdk) => {
      await sdk.end();
      return 'ended';
    }),
    push.call((sdk) => sdk.current()),
  ];
  let isDone = false;
  void Promise.all(answers).then(() => {
    isDone = true;
  });
  for (let turns = 0; turns < 20; turns += 1) await Promise.resolve();
  expect([said, isDone]).toEqual([[], false]);
  loaded(sdkThatSays(said));
  expect(await Promise.all(answers)).toEqual(['player', 'ended', 'player']);
  expect(said).toEqual(['register', 'end']);
  // Once loaded, the SDK runs calls at once, and is not loaded again.
  expect(await push.call((sdk) => sdk.current())).toBe('player');
  expect(load).toHaveBeenCalledTimes(1);
});

it('an SDK that fails to load empties what waits, throws nothing and is tried again [C-358]', async () => {
  let failed: (error: Error) => void = () => {};
  const load = vi.fn<() => Promise<PushSdk>>()
    .mockImplementationOnce(() =>
      new Promise((_resolve, reject) => {
        failed = reject;
      })
    )
    .mockRejectedValueOnce(new Error('blocked')).mockResolvedValue(sdkThatSays([]));
  const push = new PushWrapper(load);
  const ran = vi.fn<() => Promise<string>>(async () => 'never');
  const answers = [push.call(ran), push.call((sdk) => sdk.current())];
  failed(new Error('blocked'));
  expect(await Promise.all(answers)).toEqual([undefined, undefined]);
  expect(await push.call(ran)).toBeUndefined();
  expect(ran).not.toHaveBeenCalled();
  expect([await push.call((sdk) => sdk.current()), load.mock.calls.length]).toEqual(['player', 3]);
});

it('a call that fails says so to its caller and holds up nobody behind it', async () => {
  const push = new PushWrapper(async () => sdkThatSays([]));
  const wrong = push.call(async () => {
    throw new Error('no');
  });
  const after = push.call((sdk) => sdk.current());
  await expect(wrong).rejects.toThrow('no');
  expect(await after).toBe('player');
});
