import { lobbyRestarting } from '#platform/contract/sockets/lobby.ts';
import type { LiveClient, RoomConnection } from '#platform/contract/sockets/socket-client.ts';
import { systemClock } from '#platform/data/clock.ts';
import { liveClient } from '#platform/realtime/client/live-client.ts';
import { getCurrentUser, loggedOut } from '#product/accounts/contract.ts';
import {
  chatHistory,
  chatMessage,
  startUserList,
  userCount,
  userJoined,
  userLeft,
  userList,
  type ChatMessageView,
} from '#product/rooms/contract.ts';
import { chatKicked } from '#product/rooms/contract/moderation.ts';
import { showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import type { Member } from './site.ts';
import type { Topology } from './topology.ts';

/** A browser in a room with the real client library, and the data its page would show. */
export class Page {
  readonly member: Member;
  readonly room: RoomConnection;
  /** Lines of the chat, in the order in which they are shown. */
  lines: ChatMessageView[] = [];
  /** Lines received more than once. */
  doubled = 0;
  /** The chat of the show that the member is in, and its lines; null without one. */
  show: { readonly key: string; lines: readonly string[] } | null = null;
  /** The last user count received; null before the first. */
  count: number | null = null;
  /** The user list; empty until it is opened. */
  readonly users = new Set<string>();
  /** Reasons received before the socket closed. */
  readonly closings: string[] = [];
  readonly #client: LiveClient;

  constructor({ dial }: Topology, member: Member, room: string, gateway: number) {
    this.member = member;
    this.#client = liveClient({
      open: dial(member, gateway),
      time: { ...systemClock, random: () => 0 },
      version: 'test',
      lobbyUrl: 'ws://localhost/ws/lobby',
      token: async () => (await member.call(getCurrentUser, {})).node_token,
    });
    this.room = this.#client.join(room);
    this.#listen();
    this.#client.start();
  }

  #listen(): void {
    const { on } = this.room;
    on(chatHistory, ({ messages }) => {
      this.lines = [...messages];
    });
    on(chatMessage, (line) => {
      if (line.error) return;
      if (this.lines.some(({ id }) => id === line.id)) this.doubled += 1;
      this.lines.push(line);
    });
    on(showChatState, ({ chat, messages }) => {
      this.show = chat && { key: chat.key, lines: messages.map(({ message }) => message) };
    });
    on(showMessage, ({ chat: key, message: { message, error } }) => {
      if (error) return;
      this.show = { key, lines: [...(this.show?.key === key ? this.show.lines : []), message] };
    });
    on(userCount, ({ user_count: count }) => {
      this.count = count;
    });
    on(userList, ({ users }) => {
      this.users.clear();
      for (const { username } of users) this.users.add(username);
    });
    on(userJoined, ({ user }) => void this.users.add(user.username));
    on(userLeft, ({ user }) => void this.users.delete(user.username));
    on(chatKicked, () => void this.closings.push('kicked'));
    on(loggedOut, () => void this.closings.push('logged out'));
    this.#client.lobby.on(lobbyRestarting, () => void this.closings.push('restarting'));
  }

  /** Opens the user list. */
  lists(): void {
    this.room.send(startUserList, {});
  }

  get texts(): string[] {
    return this.lines.map(({ message }) => message);
  }

  leaves(): void {
    this.#client.stop();
  }
}
