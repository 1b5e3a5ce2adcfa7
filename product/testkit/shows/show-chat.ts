import type { PayloadOf } from '#platform/contract/event.ts';
import { authorize, authorizeSuccess } from '#platform/contract/sockets/lobby.ts';
import { uuidV4 } from '#platform/data/ids.ts';
import { getCurrentUser } from '#product/accounts/contract.ts';
import { chatMessage, sayInChat, userCount } from '#product/rooms/contract.ts';
import { sayInShow, showChatState, showMessage } from '#product/rooms/contract/show-chat.ts';
import type { TestSocket } from '../rooms/room-socket.ts';
import type { Member, TestSite } from '../site.ts';
import { spiedShow } from './spying.ts';

/** The state of a show's chat as somebody who joins now receives it; null without one. */
export async function chatStateOf(socket: TestSocket): Promise<PayloadOf<typeof showChatState>> {
  await socket.waitFor(userCount);
  return socket.received(showChatState).at(-1) ?? { chat: null, messages: [] };
}

/** The key of the chat that somebody is in. */
export async function chatKeyOf(socket: TestSocket): Promise<string> {
  const { chat } = await socket.waitFor(showChatState, (state) => state.chat !== null);
  return chat?.key ?? '';
}

/** Rejoins as a client that has received everything up to a sequence number. */
export async function returns(viewer: Member, performer: Member, seq: number): Promise<TestSocket> {
  const socket = await viewer.site.openSocket(viewer, `/ws/room/${performer.username}`);
  const { node_token: token } = await viewer.call(getCurrentUser, {});
  socket.send(authorize, { token, version: 'test', seq });
  await socket.waitFor(authorizeSuccess);
  await socket.waitFor(userCount);
  return socket;
}

/** Sends a public message: everything sent before it has arrived by then. */
export async function marked(by: TestSocket, ...sockets: readonly TestSocket[]): Promise<void> {
  const mark = `mark ${uuidV4()}`;
  by.send(sayInChat, { message: mark, chat: 'public' });
  for (const socket of sockets) await socket.waitFor(chatMessage, ({ message }) => message === mark);
}

/** Says something in a show, and waits for it. */
export async function saysInShow(
  socket: TestSocket,
  chat: string,
  message: string,
  replyTo?: number,
): Promise<PayloadOf<typeof showMessage>['message']> {
  socket.send(sayInShow, { chat, message, ...(replyTo === undefined ? {} : { reply_to: replyTo }) });
  return (await socket.waitFor(showMessage, (said) => said.message.message === message)).message;
}

/** A running private show, with a socket for each of the two people. */
export async function privateChat(site: TestSite, exclusive = false): Promise<{
  readonly performer: Member;
  readonly viewer: Member;
  readonly own: TestSocket;
  readonly theirs: TestSocket;
  readonly key: string;
}> {
  const { performer, viewer } = await spiedShow(site, { exclusive });
  const [own, theirs] = [await performer.joins(performer), await viewer.joins(performer)];
  return { performer, viewer, own, theirs, key: await chatKeyOf(theirs) };
}
