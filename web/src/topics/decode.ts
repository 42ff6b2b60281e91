import type { Stream } from '../proto/messages'
import type { Picture } from '../proto/frames'

/** Decoded is what a ROS message is for the page: a picture, or something a tile of topics/ understands. */
export interface Decoded { picture?: Picture; message?: unknown; transfer: Transferable[] }

/** decodeTopic runs in the worker. body is the serialized ROS 1 message. */
export async function decodeTopic(info: Stream, _body: Uint8Array): Promise<Decoded> {
  throw new Error(`${info.type ?? info.format} can't be shown`)
}
