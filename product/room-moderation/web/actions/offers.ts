import { MODERATION_ACTIONS, mayModerate, type ModerationAction, type Standing } from '../../rules.ts';

/** What this viewer may do in a room, as `GET chat/rules/{username}` says. */
export interface May {
  readonly moderate: boolean;
  readonly name_moderators: boolean;
  readonly change_rules: boolean;
}

/** Somebody of a room, as far as its page knows them. */
export interface Subject {
  readonly username: string;
  readonly displayName: string;
  /** Carries the badge: of the room or of the house. */
  readonly isModerator: boolean;
  readonly isGuest: boolean;
}

/** What the page holds of who is what in its room. */
export interface RoomStandings {
  /** Username of the performer. */
  readonly owner: string;
  readonly me: string;
  readonly may: May;
  readonly moderators: readonly string[];
  readonly silenced: readonly string[];
}

/** Ids that only tell people apart: the rule asks for nothing else of them. */
const OWNER = 1;
const ME = 2;
const OTHER = 3;
const HOUSE = { roles: ['site_mod'], isRoomModerator: false } as const;

/** A right as the rule of who may do what knows it. */
function actorOf({ name_moderators, change_rules, moderate }: May): Standing {
  if (name_moderators) return { personId: ME, roles: ['admin'], isRoomModerator: false };
  if (change_rules) return { personId: ME, ...HOUSE };
  return { personId: ME, roles: [], isRoomModerator: moderate };
}

function subjectOf(subject: Subject, { owner, moderators }: RoomStandings): Standing {
  const isRoomModerator = moderators.includes(subject.username);
  if (subject.username === owner) return { personId: OWNER, roles: [], isRoomModerator: false };
  if (subject.isGuest) return { personId: null, roles: [], isRoomModerator: false };
  // A badge without having been named here is one of the house.
  if (subject.isModerator && !isRoomModerator) return { personId: OTHER, ...HOUSE };
  return { personId: OTHER, roles: [], isRoomModerator };
}

/** Whether there is something to take back, or it is done already. */
function isDue(action: ModerationAction, { username }: Subject, standings: RoomStandings): boolean {
  const isSilenced = standings.silenced.includes(username);
  const isNamed = standings.moderators.includes(username);
  switch (action) {
    case 'silence': return !isSilenced;
    case 'unsilence': return isSilenced;
    case 'moderator': return !isNamed && !isSilenced;
    case 'unmoderator': return isNamed;
    // Whoever is in the room is not banned from it.
    case 'unban': return false;
    case 'ban':
    case 'kick': return true;
  }
}

/** What may be done to somebody from here: nothing else is offered (the server decides all the same). */
export function offersOf(subject: Subject, standings: RoomStandings): readonly ModerationAction[] {
  const { me, may } = standings;
  if (!may.moderate || subject.username === me) return [];
  const [by, of] = [actorOf(may), subjectOf(subject, standings)];
  return MODERATION_ACTIONS.filter((action) =>
    isDue(action, subject, standings) && mayModerate(by, of, action, OWNER) === null);
}
