import { localAttackScenarios } from './local/local-attack.ts';
import { localScenarios } from './local/local.ts';
import { peerReaderScenarios } from './peer-readers.ts';
import { admissionScenarios } from './scenarios/admission.ts';
import { endingScenarios } from './scenarios/ending.ts';
import { moveScenarios } from './scenarios/move.ts';
import { networkScenarios } from './scenarios/network.ts';
import { patchScenarios } from './scenarios/patch.ts';
import { publishingScenarios } from './scenarios/publishing.ts';
import { whepScenarios } from './scenarios/whep.ts';
import type { Scenario } from './world.ts';

/** Scenarios that belong together. */
export interface Part {
  readonly name: string;
  readonly scenarios: readonly Scenario[];
}

/** What every engine must do. */
export const EVERY_ENGINE: readonly Part[] = [
  { name: 'publishing and playing', scenarios: publishingScenarios },
  { name: 'the end of sessions', scenarios: endingScenarios },
  { name: 'admission', scenarios: admissionScenarios },
  { name: 'bad networks', scenarios: networkScenarios },
  { name: 'moving', scenarios: moveScenarios },
  { name: 'metered readers', scenarios: peerReaderScenarios },
];

/** What an engine must do that takes offers and gives answers. */
export const WHEP_ENGINES: readonly Part[] = [
  { name: 'offers and junk', scenarios: whepScenarios },
  { name: 'fragments', scenarios: patchScenarios },
];

/** What an engine must do that lets processes of its machine publish and read. */
export const LOCAL_ENGINES: readonly Part[] = [
  { name: 'local sessions', scenarios: localScenarios },
  { name: 'strangers on the local socket', scenarios: localAttackScenarios },
];
