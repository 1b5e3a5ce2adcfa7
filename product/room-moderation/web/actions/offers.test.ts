import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { offersOf, type RoomStandings, type Subject } from './offers.ts';

const somebody: Subject = { username: 'kai', displayName: 'Kai', isModerator: false, isGuest: false };
const room: RoomStandings = {
  owner: 'luna', me: 'mo', may: { moderate: true, name_moderators: true, change_rules: true },
  moderators: [], silenced: [],
};
const siteModerator = { moderate: true, name_moderators: false, change_rules: true };
const roomModerator = { moderate: true, name_moderators: false, change_rules: false };
const nobody = { moderate: false, name_moderators: false, change_rules: false };
const may = fc.constantFrom(room.may, siteModerator, roomModerator, nobody);

describe('what is offered to do to somebody of a room', () => {
  it('is everything to the performer, without naming to moderators, nothing to viewers [B-117]', () => {
    expect(offersOf(somebody, room)).toEqual(['ban', 'kick', 'silence', 'moderator']);
    for (const told of [siteModerator, roomModerator]) {
      expect(offersOf(somebody, { ...room, may: told })).toEqual(['ban', 'kick', 'silence']);
    }
    expect(offersOf(somebody, { ...room, may: nobody })).toEqual([]);
  });

  it('is to take back what was done', () => {
    expect(offersOf(somebody, { ...room, silenced: ['kai'] })).toEqual(['ban', 'kick', 'unsilence']);
    expect(offersOf({ ...somebody, isModerator: true }, { ...room, moderators: ['kai'] }))
      .toEqual(['ban', 'kick', 'silence', 'unmoderator']);
  });

  it('is nothing between moderators of a room, and never names a guest', () => {
    const named = { ...room, may: roomModerator, moderators: ['kai'] };
    expect(offersOf({ ...somebody, isModerator: true }, named)).toEqual([]);
    expect(offersOf({ ...somebody, isGuest: true }, room)).toEqual(['ban', 'kick', 'silence']);
  });

  it('is nothing about oneself, the performer, and the house, whoever asks', () => {
    const untouchable = fc.constantFrom(
      { ...somebody, username: 'mo' }, { ...somebody, username: 'luna' }, { ...somebody, isModerator: true },
    );
    fc.assert(fc.property(may, untouchable, (told, subject) => {
      expect(offersOf(subject, { ...room, may: told })).toEqual([]);
    }));
  });
});
