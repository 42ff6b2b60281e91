import { colourOf } from '../gl/shaders'
import { brown, straight } from './lens'
import { meshThreshold } from './ply'

/**
 * The cloud has no vertex data, only indices: each fetches its depth from the
 * texture, becomes a point by the depth camera's lens, and is projected to the
 * colour picture by extrinsics and the picture's lens. The arithmetic is that
 * of lens.ts. With mesh, six indices are the two triangles between
 * four pixels.
 */
export const cloudVertex = `#version 300 es
precision highp float;
precision highp int;
precision highp usampler2D;

uniform usampler2D depth;
uniform ivec2 size;      // of depth
uniform float pixelStep; // pixels of the sensor from pixel to pixel
uniform float units;     // m
uniform vec4 depthLens;  // fx, fy, ppx, ppy
uniform float depthCoeffs[5];
uniform bool depthBent;
uniform bool mesh;
uniform float pointSize; // at least
uniform float spacing;   // pixels between neighbours that are as far from the eye as from the depth camera
uniform mat4 camera;
uniform mat3 placeTurn;  // from this depth camera to the one in whose coordinates all is
uniform vec3 placeShift; // m

uniform bool ownColour;  // depth colours itself
uniform mat3 turn;       // from depth to the picture
uniform vec3 shift;      // m
uniform vec4 pictureLens;
uniform float pictureCoeffs[5];
uniform int pictureBending;
uniform vec2 pictureSize; // of the intrinsics

out vec3 world;
out vec2 place; // in the picture, 0 to 1

uint depthAt(ivec2 p) { return texelFetch(depth, p, 0).r; }

vec3 deproject(ivec2 p, float z) {
  vec2 ray = (vec2(p) * pixelStep - depthLens.zw) / depthLens.xy;
  if (depthBent) {
    float c0 = depthCoeffs[0], c1 = depthCoeffs[1], c2 = depthCoeffs[2], c3 = depthCoeffs[3], c4 = depthCoeffs[4];
    float r2 = dot(ray, ray);
    float f = 1.0 + c0 * r2 + c1 * r2 * r2 + c4 * r2 * r2 * r2;
    vec2 twice = 2.0 * vec2(c2, c3) * ray.x * ray.y;
    ray = ray * f + twice + vec2(c3, c2) * (r2 + 2.0 * ray * ray);
  }
  return vec3(ray * z, z);
}

vec2 see(vec3 p) {
  vec3 q = turn * p + shift;
  vec2 at = q.xy / q.z;
  if (pictureBending != ${straight}) {
    float c0 = pictureCoeffs[0], c1 = pictureCoeffs[1], c2 = pictureCoeffs[2], c3 = pictureCoeffs[3], c4 = pictureCoeffs[4];
    float r2 = dot(at, at);
    vec2 radial = at * (1.0 + c0 * r2 + c1 * r2 * r2 + c4 * r2 * r2 * r2);
    vec2 t = pictureBending == ${brown} ? at : radial;
    at = radial + 2.0 * vec2(c2, c3) * t.x * t.y + vec2(c3, c2) * (r2 + 2.0 * t * t);
  }
  return q.z > 0.0 ? (at * pictureLens.xy + pictureLens.zw + 0.5) / pictureSize : vec2(-1.0);
}

bool apart(uint a, uint b) { return abs(float(a) - float(b)) * units >= ${meshThreshold}; }

// corner returns the pixel of a corner of a triangle, and whether its four
// pixels belong to one surface.
bool corner(out ivec2 p) {
  int quad = gl_VertexID / 6;
  ivec2 at = ivec2(quad % (size.x - 1), quad / (size.x - 1));
  uint a = depthAt(at), b = depthAt(at + ivec2(1, 0)), c = depthAt(at + ivec2(0, 1)), d = depthAt(at + ivec2(1, 1));
  ivec2 corners[6] = ivec2[6](ivec2(0, 0), ivec2(1, 1), ivec2(1, 0), ivec2(1, 1), ivec2(0, 0), ivec2(0, 1));
  p = at + corners[gl_VertexID % 6];
  return a * b != 0u && c * d != 0u && !apart(a, b) && !apart(a, c) && !apart(b, d) && !apart(c, d);
}

void main() {
  ivec2 p = ivec2(gl_VertexID % size.x, gl_VertexID / size.x);
  bool there = !mesh || corner(p);
  uint value = depthAt(p);
  gl_PointSize = 1.0;
  if (!there || value == 0u) {
    gl_Position = vec4(0.0, 0.0, 2.0, 1.0); // outside of what is seen
    world = vec3(0.0);
    place = vec2(0.0);
    return;
  }
  vec3 own = deproject(p, float(value) * units);
  world = placeTurn * own + placeShift;
  gl_Position = camera * vec4(world, 1.0);
  gl_PointSize = clamp(spacing * own.z / gl_Position.w, pointSize, 24.0);
  place = ownColour ? (vec2(p) + 0.5) / vec2(size) : see(own);
}
`

/**
 * Points outside the picture are grey. Light comes from three sides, as in
 * RealSense Viewer, and shows a mesh's shape; its normals are those of the
 * triangles.
 */
export const cloudFragment = `#version 300 es
precision highp float;
precision highp int;
${colourOf}
uniform ivec2 paintSize; // of the texture that colours
uniform bool lit;
uniform vec4 tint; // of its camera; alpha 0 for none
in vec3 world;
in vec2 place;
out vec4 colour;

const vec3 outside = vec3(0.36, 0.38, 0.41);

float light() {
  vec3 normal = normalize(cross(dFdx(world), dFdy(world)));
  if (normal.z > 0.0) normal = -normal;
  float sum = 0.6 * max(0.0, dot(normal, normalize(vec3(0.3, -0.6, -1.0))));
  sum += 0.2 * max(0.0, dot(normal, normalize(vec3(-1.0, -0.2, -0.6))));
  sum += 0.2 * max(0.0, dot(normal, normalize(vec3(1.0, 0.4, -0.4))));
  return 0.35 + 0.8 * sum;
}

void main() {
  bool seen = place == clamp(place, 0.0, 1.0);
  vec3 c = seen ? colourOf(min(ivec2(place * vec2(paintSize)), paintSize - 1)) : outside;
  c = mix(c, tint.rgb * (0.35 + 0.65 * dot(c, vec3(0.299, 0.587, 0.114))), tint.a);
  colour = vec4(lit ? c * light() : c, 1.0);
}
`

/** Free points are those of a message, each with position and colour. */
export const freeVertex = `#version 300 es
precision highp float;
uniform mat4 camera;
uniform float pointSize;
layout(location = 0) in vec3 at;
layout(location = 1) in vec4 tone;
out vec4 paint;
void main() {
  gl_Position = camera * vec4(at, 1.0);
  gl_PointSize = pointSize;
  paint = tone;
}
`

export const freeFragment = `#version 300 es
precision highp float;
in vec4 paint;
out vec4 colour;
void main() { colour = paint; }
`
