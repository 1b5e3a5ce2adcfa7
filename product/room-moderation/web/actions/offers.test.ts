import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offersOf, type ModerationContext, type Subject } from './offers.ts';

const somebody: Subject = { username: 'kai', displayName: 'Kai', isModerator: false, isGuest: false };
const room: ModerationContext = {
  owner: 'luna',
  me: 'mo',
  may: { moderate: true, name_moderators: true, change_rules: true },
  moderators: [],
  silenced: [],
};
const siteModerator = { moderate: true, name_moderators: false, change_rules: true };
const roomModerator = { moderate: true, name_moderators: false, change_rules: false };
const nobody = { moderate: false, name_moderators: false, change_rules: false };
const may = fc.constantFrom(room.may, siteModerator, roomModerator, nobody);

describe('the actions offered upon somebody in a room', () => {
  it('are all for the performer, all but naming for moderators, none for viewers [B-117]', () => {
    expect(offersOf(somebody, room)).toEqual(['ban', 'kick', 'silence', 'moderator']);
    for (const permissions of [siteModerator, roomModerator]) {
      expect(offersOf(somebody, { ...room, may: permissions })).toEqual(['ban', 'kick', 'silence']);
    }
    expect(offersOf(somebody, { ...room, may: nobody })).toEqual([]);
  });

  it('include undoing what was done', () => {
    expect(offersOf(somebody, { ...room, silenced: ['kai'] })).toEqual(['ban', 'kick', 'unsilence']);
    expect(offersOf({ ...somebody, isModerator: true }, { ...room, moderators: ['kai'] }))
      .toEqual(['ban', 'kick', 'silence', 'unmoderator']);
  });

  it('are none between moderators of a room; a guest is never named', () => {
    const named = { ...room, may: roomModerator, moderators: ['kai'] };
    expect(offersOf({ ...somebody, isModerator: true }, named)).toEqual([]);
    expect(offersOf({ ...somebody, isGuest: true }, room)).toEqual(['ban', 'kick', 'silence']);
  });

  it('are none upon oneself, the performer and site moderators', () => {
    const untouchable = fc.constantFrom(
      { ...somebody, username: 'mo' },
      { ...somebody, username: 'luna' },
      { ...somebody, isModerator: true },
    );
    fc.assert(fc.property(may, untouchable, (permissions, subject) => {
      expect(offersOf(subject, { ...room, may: permissions })).toEqual([]);
    }));
  });
});
