import { expect, it } from 'vitest';
import { portsOf } from './embedded-engine.ts';

it('relays share no port, those for TURN over TCP among them', () => {
  expect(portsOf({ udpPort: 40_000, hasTurnPorts: true })).toEqual([{ udpPort: 40_000, turnPort: 40_001 }]);
  expect(portsOf({ udpPort: 40_000, relays: 3, hasTurnPorts: true })).toEqual([
    { udpPort: 40_000, turnPort: 40_003 },
    { udpPort: 40_001, turnPort: 40_004 },
    { udpPort: 40_002, turnPort: 40_005 },
  ]);
  expect(portsOf({ udpPort: 40_000, relays: 2 })).toEqual([
    { udpPort: 40_000, turnPort: null },
    { udpPort: 40_001, turnPort: null },
  ]);
});
