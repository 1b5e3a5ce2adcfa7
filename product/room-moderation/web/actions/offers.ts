import { mayModerate, MODERATION_ACTIONS, type ModerationAction, type Participant } from '../../rules.ts';

/** What this viewer may do in a room, from `GET chat/rules/{username}`. */
export interface May {
  readonly moderate: boolean;
  readonly name_moderators: boolean;
  readonly change_rules: boolean;
}

/** Somebody in a room, as its page shows them. */
export interface Subject {
  readonly username: string;
  readonly displayName: string;
  /** Has the badge of a room moderator or site moderator. */
  readonly isModerator: boolean;
  readonly isGuest: boolean;
}

/** Roles and silences of a room, as far as its page knows them. */
export interface ModerationContext {
  /** Username of the performer. */
  readonly owner: string;
  readonly me: string;
  readonly may: May;
  readonly moderators: readonly string[];
  readonly silenced: readonly string[];
}

/** Placeholder ids: the rule only compares them. */
const OWNER = 1;
const ME = 2;
const OTHER = 3;
const SITE_MODERATOR = { roles: ['site_mod'], isRoomModerator: false } as const;

/** This viewer as the actor of `mayModerate`. */
function actorOf({ name_moderators, change_rules, moderate }: May): Participant {
  if (name_moderators) return { personId: ME, roles: ['admin'], isRoomModerator: false };
  if (change_rules) return { personId: ME, ...SITE_MODERATOR };
  return { personId: ME, roles: [], isRoomModerator: moderate };
}

function subjectOf(subject: Subject, { owner, moderators }: ModerationContext): Participant {
  const isRoomModerator = moderators.includes(subject.username);
  if (subject.username === owner) return { personId: OWNER, roles: [], isRoomModerator: false };
  if (subject.isGuest) return { personId: null, roles: [], isRoomModerator: false };
  // A badge without being named in this room belongs to a site moderator.
  if (subject.isModerator && !isRoomModerator) return { personId: OTHER, ...SITE_MODERATOR };
  return { personId: OTHER, roles: [], isRoomModerator };
}

/** Whether an action changes anything: a silenced person is not silenced again. */
function isApplicable(action: ModerationAction, { username }: Subject, context: ModerationContext): boolean {
  const isSilenced = context.silenced.includes(username);
  const isNamed = context.moderators.includes(username);
  switch (action) {
    case 'silence':
      return !isSilenced;
    case 'unsilence':
      return isSilenced;
    case 'moderator':
      return !isNamed && !isSilenced;
    case 'unmoderator':
      return isNamed;
    // People who are in the room are not banned from it.
    case 'unban':
      return false;
    case 'ban':
    case 'kick':
      return true;
  }
}

/** Actions that a menu offers on a person; the server decides in any case. */
export function offersOf(subject: Subject, context: ModerationContext): readonly ModerationAction[] {
  const { me, may } = context;
  if (!may.moderate || subject.username === me) return [];
  const [by, of] = [actorOf(may), subjectOf(subject, context)];
  return MODERATION_ACTIONS.filter((action) =>
    isApplicable(action, subject, context) && mayModerate(by, of, action, OWNER) === null
  );
}
