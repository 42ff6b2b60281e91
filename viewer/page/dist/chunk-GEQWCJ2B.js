import{ja as J,ta as Q,ua as Z}from"./chunk-GIP4GT2G.js";var b=(e,t,r=1)=>[e[0]+r*t[0],e[1]+r*t[1],e[2]+r*t[2]],v=(e,t)=>[e[0]-t[0],e[1]-t[1],e[2]-t[2]],x=(e,t)=>[e[0]*t,e[1]*t,e[2]*t],k=(e,t)=>e[0]*t[0]+e[1]*t[1]+e[2]*t[2],L=e=>Math.hypot(e[0],e[1],e[2]),z=(e,t)=>Math.hypot(e[0]-t[0],e[1]-t[1],e[2]-t[2]),tt=(e,t)=>x(b(e,t),.5),w=(e,t)=>[e[1]*t[2]-e[2]*t[1],e[2]*t[0]-e[0]*t[2],e[0]*t[1]-e[1]*t[0]];function A(e){let t=L(e);return t>0?x(e,1/t):e}function B(e,t,r){let n=Math.cos(r),i=Math.sin(r);return b(b(x(e,n),w(t,e),i),t,k(t,e)*(1-n))}function et(e,t,r,n){let i=1/Math.tan(e/2),o=new Float32Array(16);return o[0]=i/t,o[5]=i,o[10]=(n+r)/(r-n),o[11]=-1,o[14]=2*n*r/(r-n),o}function rt(e,t,r){let n=A(v(e,t)),i=A(w(r,n)),o=w(n,i);return new Float32Array([i[0],o[0],n[0],0,i[1],o[1],n[1],0,i[2],o[2],n[2],0,-k(i,e),-k(o,e),-k(n,e),1])}function nt(e,t){let r=new Float32Array(16);for(let n=0;n<4;n++)for(let i=0;i<4;i++){let o=0;for(let a=0;a<4;a++)o+=e[4*a+i]*t[4*n+a];r[4*n+i]=o}return r}function it(e,t){let r=n=>e[n]*t[0]+e[4+n]*t[1]+e[8+n]*t[2]+e[12+n];return[r(0),r(1),r(2),r(3)]}var Dt=100,st={rulers:[],past:[]};function C(e,t){return{rulers:t,past:[...e.past,e.rulers].slice(-Dt)}}function at(e,t,r,n=null){let i=e.rulers.length-1,o=e.rulers[i];if(!o||o.closed||o.points.length>1&&!r)return C(e,[...e.rulers,{points:[t],closed:!1}]);let u=n!==null&&n.ruler===i&&n.point===0&&o.points.length>2?{points:o.points,closed:!0}:{points:[...o.points,t],closed:!1};return C(e,[...e.rulers.slice(0,i),u])}var ct=e=>C(e,e.rulers);function lt(e,t,r){return{rulers:e.rulers.map((i,o)=>o===t.ruler?{...i,points:i.points.map((a,u)=>u===t.point?r:a)}:i),past:e.past}}function Y(e){let t=e.past[e.past.length-1];return t?{rulers:t,past:e.past.slice(0,-1)}:e}var ut=e=>e.rulers.length?C(e,[]):e;function S(e){let t=[];for(let r=1;r<e.points.length;r++)t.push([e.points[r-1],e.points[r]]);return e.closed&&t.push([e.points[e.points.length-1],e.points[0]]),t}var ht=e=>S(e).reduce((t,[r,n])=>t+z(r,n),0);function pt(e){let t=[0,0,0],r=e[0];for(let n=1;n+1<e.length;n++)t=b(t,w(v(e[n],r),v(e[n+1],r)));return L(t)/2}function ft(e){let t=e.reduce((r,n)=>b(r,n),[0,0,0]);return x(t,1/e.length)}function dt(e,t){let r=z(e,t),n=r>.5?.1:.01,i=A(v(t,e)),o=[e];for(let a=1;a*n<r&&a<1e3;a++)o.push(b(e,i,a*n));return o.push(t),o}var N=.0254,P=.3048,ot=.9144,g=e=>e>=100?e.toFixed(0):e.toPrecision(3);function O(e,t="metric"){return t==="imperial"?e<P?`${g(e/N)} in`:e<ot?`${g(e/P)} ft`:`${g(e/ot)} yd`:e<.01?`${g(e*1e3)} mm`:e<1?`${g(e*100)} cm`:`${g(e)} m`}function mt(e,t="metric"){return t==="imperial"?e<P*P?`${g(e/N/N)} in²`:`${g(e/P/P)} ft²`:e<.01?`${g(e*1e4)} cm²`:`${g(e)} m²`}function ae(e,t="metric"){let r=t==="imperial"?1/P:1;return`${e.map(n=>(n*r).toFixed(3)).join(", ")} ${t==="imperial"?"feet":"meters"}`}var yt={KeyW:[1,0],KeyS:[-1,0],KeyA:[0,-1],KeyD:[0,1]},E=class{constructor(t,r){this.space=t;this.element=r;let n=this.stop.signal;r.addEventListener("pointerdown",i=>this.down(i),{signal:n}),r.addEventListener("pointermove",i=>this.move(i),{signal:n}),r.addEventListener("pointerup",i=>this.up(i),{signal:n}),r.addEventListener("pointercancel",i=>this.up(i),{signal:n}),r.addEventListener("pointerleave",()=>t.hover(null),{signal:n}),r.addEventListener("contextmenu",i=>i.preventDefault(),{signal:n}),r.addEventListener("wheel",i=>this.wheel(i),{signal:n,passive:!1}),addEventListener("keyup",i=>this.keys.delete(i.code),{signal:n}),addEventListener("blur",()=>this.keys.clear(),{signal:n})}space;element;pointers=new Map;keys=new Set;stop=new AbortController;start=null;mode=null;moved=!1;lastWheel=0;flying=0;lastFlight=0;close(){this.stop.abort(),cancelAnimationFrame(this.flying)}place(t){let r=this.element.getBoundingClientRect();return{x:t.clientX-r.left,y:t.clientY-r.top}}down(t){let r=this.place(t);this.element.setPointerCapture(t.pointerId),this.pointers.set(t.pointerId,r),this.start=r,this.moved=!1,this.pointers.size>1?(this.space.drop(!1),this.mode="pan",this.moved=!0):t.button!==0||t.ctrlKey?this.mode="pan":this.mode=this.space.grab(r)?"knob":"orbit"}move(t){let r=this.place(t),n=this.pointers.get(t.pointerId);if(!n||!this.start){this.space.hover(r);return}if(!this.moved&&Math.hypot(r.x-this.start.x,r.y-this.start.y)<4)return;this.moved=!0;let i=this.spread();this.pointers.set(t.pointerId,r);let o=1/this.pointers.size,a=(r.x-n.x)*o,u=(r.y-n.y)*o;this.mode==="orbit"&&this.space.camera.orbit(a,u),this.mode==="pan"&&this.space.camera.pan(a,u),i>0&&this.space.camera.zoom((this.spread()-i)/40,null,100),this.space.hover(this.mode==="knob"?r:null)}spread(){let[t,r]=[...this.pointers.values()];return t&&r?Math.hypot(t.x-r.x,t.y-r.y):0}up(t){let r=this.place(t);!this.pointers.delete(t.pointerId)||this.pointers.size>0||(this.space.drop(this.moved),!this.moved&&t.type==="pointerup"&&t.button===0&&!t.ctrlKey&&(this.space.chain=t.shiftKey,this.space.click(r)),this.mode=this.start=null,this.space.hover(r))}wheel(t){t.preventDefault();let r=t.deltaMode===WheelEvent.DOM_DELTA_PIXEL?100:3,n=this.place(t),i=this.space.pick(n)?.point??null;this.space.camera.zoom(-t.deltaY/r,i,t.timeStamp-this.lastWheel),this.lastWheel=t.timeStamp,this.space.hover(n)}key(t){if(this.space.chain=t.shiftKey,t.ctrlKey||t.metaKey||t.altKey)return!1;if(t.code in yt)return this.keys.add(t.code),this.fly(),!0;switch(t.key.toLowerCase()){case"r":return this.space.camera.reset(),this.space.changed(),!0;case"z":return this.space.undo(),!0;case"m":return this.space.measure(!this.space.measuring),!0}return!1}fly(){if(this.flying)return;this.lastFlight=performance.now();let t=r=>{this.flying=0;let n=Math.max(0,Math.min(.1,(r-this.lastFlight)/1e3));this.lastFlight=r;for(let i of this.keys){let[o,a]=yt[i];this.space.camera.fly(o,a,n)}this.space.changed(),this.keys.size&&(this.flying=requestAnimationFrame(t))};this.flying=requestAnimationFrame(t)}};var _t="input, select, textarea, dialog, [contenteditable]";function pe(e,t){let r=new E(e,t),n=new AbortController,{signal:i}=n;return addEventListener("keydown",o=>{if(o.key==="Shift"&&(e.chain=!0),!J.value&&o.key.length===1)return;let a=o.target instanceof Element?o.target:document.body;a.closest(_t)||a!==document.body&&!t.parentElement?.contains(a)||r.key(o)&&o.preventDefault()},{signal:i}),addEventListener("keyup",o=>{o.key==="Shift"&&(e.chain=!1)},{signal:i}),()=>{n.abort(),r.close()}}var s=Math.fround,de={rotation:[1,0,0,0,1,0,0,0,1],translation:[0,0,0]},D=0,Tt=1,_=2;function Ut(e){switch(e){case"None":return D;case"Brown Conrady":return _}return Tt}var Kt=e=>e==="Inverse Brown Conrady";function bt(e){let t=new Float32Array(5);return t.set(e.coeffs.slice(0,5)),t}var I=class{width;height;bent;xs;ys;constructor(t,r=t.width,n=t.height,i=1){this.width=r,this.height=n;let o=s(t.fx),a=s(t.fy),u=s(t.ppx),c=s(t.ppy),l=Float32Array.from({length:r},(m,d)=>s(s(d*i)-u)/o),p=Float32Array.from({length:n},(m,d)=>s(s(d*i)-c)/a),h=bt(t);this.bent=Kt(t.model)&&h.some(m=>m!==0);let f=this.bent?$t(l,p,h):[l,p];this.xs=f[0],this.ys=f[1]}x(t,r){return this.xs[this.bent?r*this.width+t:t]}y(t,r){return this.ys[this.bent?r*this.width+t:r]}};function $t(e,t,r){let[n,i,o,a,u]=r,c=new Float32Array(e.length*t.length),l=new Float32Array(c.length),p=0;for(let h of t)for(let f of e){let m=s(s(f*f)+s(h*h)),d=s(s(s(1+s(n*m))+s(s(i*m)*m))+s(s(s(u*m)*m)*m)),y=s(s(s(2*o)*f)*h),M=s(s(s(2*a)*f)*h);c[p]=s(s(f*d)+y)+s(a*s(m+s(s(2*f)*f))),l[p]=s(s(h*d)+M)+s(o*s(m+s(s(2*h)*h))),p++}return[c,l]}var R=class{r;t;c;bend;fx;fy;ppx;ppy;constructor(t,r){this.r=Float32Array.from(r.rotation),this.t=Float32Array.from(r.translation),this.c=bt(t),this.bend=Ut(t.model),this.fx=s(t.fx),this.fy=s(t.fy),this.ppx=s(t.ppx),this.ppy=s(t.ppy)}see(t,r,n,i){let o=this.r,a=this.t,u=s(s(o[0]*t)+s(s(o[3]*r)+s(s(o[6]*n)+a[0]))),c=s(s(o[1]*t)+s(s(o[4]*r)+s(s(o[7]*n)+a[1]))),l=s(s(o[2]*t)+s(s(o[5]*r)+s(s(o[8]*n)+a[2])));i[0]=s(u/l),i[1]=s(c/l),this.bend!==D&&this.distort(i),i[0]=s(s(i[0]*this.fx)+this.ppx),i[1]=s(s(i[1]*this.fy)+this.ppy)}distort(t){let[r,n]=t,i=this.c,o=s(s(r*r)+s(n*n)),a=s(o*o),u=s(1+s(s(i[0]*o)+s(s(i[1]*a)+s(i[4]*s(o*a))))),c=s(r*u),l=s(n*u),[p,h]=this.bend===_?[r,n]:[c,l],f=s(p*h),m=s(i[3]*s(o+s(2*s(p*p)))),d=s(i[2]*s(o+s(2*s(h*h))));t[0]=s(c+s(s(2*s(i[2]*f))+m)),t[1]=s(l+s(s(2*s(i[3]*f))+d))}};var U=class{values=[];add(t,r,n){this.values.push(...t,...n,...r,...n)}get array(){return Float32Array.from(this.values)}},K=7,W=12,T=1,q=.4,G=[1,3,5];function vt(e,t){let r=W*t;for(let n=-W;n<=W;n++){let i=[.55,.58,.62,n===0?.7:.28],o=n*t;e.add([o,T,-r],[o,T,r],i),e.add([-r,T,o],[r,T,o],i)}}function xt(e){e.add([0,0,0],[q,0,0],[.95,.26,.26,1]),e.add([0,0,0],[0,q,0],[.3,.8,.36,1]),e.add([0,0,0],[0,0,q],[.3,.55,1,1])}function gt(e,t){let r=[.8,.8,.8,.35],n=new I(t),i=t.width-1,o=t.height-1,a=[[0,0],[i,0],[i,o],[0,o]].map(([c,l])=>[n.x(c,l),n.y(c,l),1]),u=(c,l)=>[a[c%4][0]*l,a[c%4][1]*l,l];for(let c=0;c<4;c++){e.add([0,0,0],u(c,G[G.length-1]),r);for(let l of G)e.add(u(c,l),u(c+1,l),r)}}var V=Math.fround;function At(e,t,r){let n=V(e.units*e.data[r*e.width+t]);return[V(n*e.rays.x(t,r)),V(n*e.rays.y(t,r)),n]}function xe(e){let t=new Float32Array(3*e.width*e.height),r=0;for(let n=0;n<e.height;n++)for(let i=0;i<e.width;i++,r++){let o=V(e.units*e.data[r]);t[3*r]=V(o*e.rays.x(i,n)),t[3*r+1]=V(o*e.rays.y(i,n)),t[3*r+2]=o}return t}function ge(e,t){let r=e.length/3,n=new Uint8Array(3*r),i=new R(t.intrinsics,t.extrinsics),o=[0,0],{width:a,height:u}=t.intrinsics;for(let c=0;c<r;c++){let l=e[3*c+2];if(l===0)continue;i.see(e[3*c],e[3*c+1],l,o);let p=wt(V(o[0]/a)*t.width),h=wt(V(o[1]/u)*t.height);if(p>=0&&h>=0&&p<t.width&&h<t.height){let f=4*(h*t.width+p);n[3*c]=t.rgba[f],n[3*c+1]=t.rgba[f+1],n[3*c+2]=t.rgba[f+2]}}return n}var wt=e=>e<0?-Math.round(-e):Math.round(e);var j=Math.PI/4,Pt=1/Math.tan(j/2),Vt=.001,Bt=100,Nt=3,Yt=.2,Ot=.1,Wt=.3,Mt=Math.PI/2-.01,qt=.01,Gt=60,H=[0,1,0],$=class{eye=[0,0,-1];target=[0,0,0];width=1;height=1;reset(){this.eye=[0,0,-1],this.target=[0,0,0]}matrix(){return nt(et(j,this.width/this.height,Vt,Bt),rt(this.eye,this.target,this.up()))}up(){return x(H,-1)}ahead(){return A(v(this.target,this.eye))}right(){return A(w(this.ahead(),this.up()))}orbit(t,r){let n=Nt/Math.min(this.width,this.height),i=B(v(this.eye,this.target),H,t*n),o=Math.asin(Math.max(-1,Math.min(1,k(A(i),H)))),a=Math.max(-Mt,Math.min(Mt,o-r*n)),u=A(w(x(i,-1),this.up()));i=B(i,u,o-a),this.eye=b(this.target,i)}pan(t,r){let n=2*Math.tan(j/2)*z(this.eye,this.target)/this.height,i=this.right(),o=w(this.ahead(),i);this.move(b(x(i,-t*n),o,-r*n))}zoom(t,r,n){let i=n<50?2:n>500?.5:1;r&&t>0&&(this.target=b(this.target,v(r,this.target),Math.min(1,Ot*t)));let o=v(this.eye,this.target),a=L(o),u=Math.max(qt,Math.min(Gt,a*Math.pow(1-Yt,t*i)));this.eye=b(this.target,o,u/a)}fly(t,r,n){let i=Wt*Math.max(z(this.eye,this.target),.1)*n;this.move(b(x(this.ahead(),t*i),this.right(),r*i))}move(t){this.eye=b(this.eye,t),this.target=b(this.target,t)}place(t,r=this.matrix()){let[n,i,,o]=it(r,t);return o<Vt?null:{x:(n/o/2+.5)*this.width,y:(.5-i/o/2)*this.height}}};var Ht=15,kt=class{constructor(t){this.c=t}c;draw(t,r,n,i,o,a){let u=this.c;u.setTransform(a,0,0,a,0,0),u.clearRect(0,0,t.width,t.height);let c=t.matrix();for(let p of r.rulers)this.ruler(t,c,p,o);if(!n)return;let l=r.rulers[r.rulers.length-1];i&&l&&!l.closed&&this.dashed(t,c,l.points[l.points.length-1],n),this.ring(t.place(n,c))}ruler(t,r,n,i){n.closed&&this.fill(n.points.map(o=>t.place(o,r)));for(let[o,a]of S(n))this.striped(dt(o,a).map(u=>t.place(u,r)));for(let o of n.points)this.knob(t.place(o,r));for(let[o,a]of S(n))this.label(t.place(tt(o,a),r),O(Math.hypot(o[0]-a[0],o[1]-a[1],o[2]-a[2]),i));if(n.closed)this.label(t.place(ft(n.points),r),mt(pt(n.points),i),!0);else if(n.points.length>2){let o=t.place(n.points[n.points.length-1],r);this.label(o&&{x:o.x,y:o.y-26},`total ${O(ht(n),i)}`,!0)}}striped(t){let r=this.c;r.lineCap="butt";for(let[n,i]of[[6,"rgba(0,0,0,.55)"],[4,""]])for(let o=1;o<t.length;o++){let a=t[o-1],u=t[o];!a||!u||(r.lineWidth=n,r.strokeStyle=i||(o%2?"#ffd60a":"#1c1c1e"),zt(r,a,u))}}dashed(t,r,n,i){let o=t.place(n,r),a=t.place(i,r);!o||!a||(this.c.lineWidth=1.5,this.c.strokeStyle="#ffd60a",this.c.setLineDash([5,4]),zt(this.c,o,a),this.c.setLineDash([]))}fill(t){if(t.some(n=>!n))return;let r=this.c;r.beginPath();for(let n of t)r.lineTo(n.x,n.y);r.closePath(),r.fillStyle="rgba(255,214,10,.22)",r.fill()}knob(t){t&&this.disc(t,5,"#ffd60a","rgba(0,0,0,.7)",1.5)}ring(t){t&&(this.disc(t,8,"transparent","rgba(0,0,0,.6)",4),this.disc(t,8,"transparent","#ffffff",2),this.disc(t,1.5,"#ffffff","rgba(0,0,0,.6)",1))}disc(t,r,n,i,o){let a=this.c;a.beginPath(),a.arc(t.x,t.y,r,0,2*Math.PI),a.fillStyle=n,a.fill(),a.lineWidth=o,a.strokeStyle=i,a.stroke()}label(t,r,n=!1){if(!t)return;let i=this.c;i.font=`${n?600:500} 12px system-ui, sans-serif`,i.textAlign="center",i.textBaseline="middle";let o=i.measureText(r).width+14;i.beginPath(),i.roundRect(t.x-o/2,t.y-10,o,20,6),i.fillStyle=n?"#ffd60a":"rgba(22,24,28,.88)",i.fill(),i.fillStyle=n?"#1c1c1e":"#ffffff",i.fillText(r,t.x,t.y+.5)}};function zt(e,t,r){e.beginPath(),e.moveTo(t.x,t.y),e.lineTo(r.x,r.y),e.stroke()}function X(e,t,r){let n=e.matrix(),i=null,o=Ht;return t.rulers.forEach((a,u)=>a.points.forEach((c,l)=>{let p=e.place(c,n),h=p?Math.hypot(p.x-r.x,p.y-r.y):1/0;h<=o&&([i,o]=[{ruler:u,point:l},h])})),i}function De(e){let[t,r]=jt(e.xyz),n=e.mesh?Xt(e,t):new Uint32Array(0),i=new TextEncoder().encode(`ply
format binary_little_endian 1.0
comment metres; x right, y down, z forward
element vertex ${r}
property float x
property float y
property float z
`+(e.rgb?`property uchar red
property uchar green
property uchar blue
`:"")+(e.mesh?`element face ${n.length/3}
property list uchar int vertex_indices
`:"")+`end_header
`),o=new Uint8Array(i.length+r*(e.rgb?15:12)+n.length/3*13);o.set(i);let a=new DataView(o.buffer),u=i.length;for(let c=0;c<t.length;c++)if(!(t[c]<0)){for(let l=0;l<3;l++,u+=4)a.setFloat32(u,e.xyz[3*c+l],!0);if(e.rgb)for(let l=0;l<3;l++)o[u++]=e.rgb[3*c+l]}for(let c=0;c<n.length;c+=3){o[u++]=3;for(let l=0;l<3;l++,u+=4)a.setInt32(u,n[c+l],!0)}return o}function jt(e){let t=new Int32Array(e.length/3),r=0;for(let n=0;n<t.length;n++)t[n]=e[3*n+2]===0?-1:r++;return[t,r]}function Xt(e,t){let r=new Uint32Array(6*Math.max(0,e.width-1)*Math.max(0,e.height-1)),n=0;for(let i=0;i+1<e.height;i++)for(let o=0;o+1<e.width;o++){let a=i*e.width+o,u=a+1,c=a+e.width,l=c+1,p=e.xyz[3*a+2],h=e.xyz[3*u+2],f=e.xyz[3*c+2],m=e.xyz[3*l+2];if(Jt(p,h,f,m))for(let d of[a,l,u,l,a,c])r[n++]=t[d]}return r.subarray(0,n)}function Jt(e,t,r,n){let i=(o,a)=>Math.abs(o-a)<.05;return e!==0&&t!==0&&r!==0&&n!==0&&i(e,t)&&i(e,r)&&i(t,n)&&i(r,n)}var $e=`#version 300 es
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
  if (pictureBending != ${D}) {
    float c0 = pictureCoeffs[0], c1 = pictureCoeffs[1], c2 = pictureCoeffs[2], c3 = pictureCoeffs[3], c4 = pictureCoeffs[4];
    float r2 = dot(at, at);
    vec2 radial = at * (1.0 + c0 * r2 + c1 * r2 * r2 + c4 * r2 * r2 * r2);
    vec2 t = pictureBending == ${_} ? at : radial;
    at = radial + 2.0 * vec2(c2, c3) * t.x * t.y + vec2(c3, c2) * (r2 + 2.0 * t * t);
  }
  return q.z > 0.0 ? (at * pictureLens.xy + pictureLens.zw + 0.5) / pictureSize : vec2(-1.0);
}

bool apart(uint a, uint b) { return abs(float(a) - float(b)) * units >= ${.05}; }

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
`,Be=`#version 300 es
precision highp float;
precision highp int;
${Z}
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
`,Ft=`#version 300 es
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
`,Lt=`#version 300 es
precision highp float;
in vec4 paint;
out vec4 colour;
void main() { colour = paint; }
`;var Zt=1.05;function Ct(e,t,r,n,i){let o=ee(e,te(t.matrix(),t,r,n,i)),a=.6*(e.rays.x(1,0)-e.rays.x(0,0))*Pt*t.height/2/i,u=d=>Math.max(Math.abs(d.a),Math.abs(d.b))<=a*e.data[d.i]*e.units/d.w,c=o.filter(u),l=1/0;for(let d of c)l=Math.min(l,d.w);let p=1/0,h=-1;for(let d of c.length>0?c:o){let y=d.a*d.a+d.b*d.b;d.w<=l*Zt&&y<p&&([p,h]=[y,d.i])}if(h<0)return null;let f=h%e.width,m=(h-f)/e.width;return{u:f,v:m,point:At(e,f,m)}}function te(e,t,r,n,i){let o=(p,h,f)=>{let m=d=>h*(e[4*d+p]-f*e[4*d+3]);return[[m(0),m(1),m(2)],m(3)]},[a,u]=o(0,t.width/2/i,2*r/t.width-1),[c,l]=o(1,t.height/2/i,1-2*n/t.height);return{a,a0:u,b:c,b0:l,w:[e[3],e[7],e[11]],w0:e[15]}}function ee(e,t){let r=[],{data:n,rays:i,width:o,height:a,units:u}=e;for(let c=0,l=0;c<a;c++)for(let p=0;p<o;p++,l++){let h=n[l];if(h===0)continue;let f=h*u,m=f*i.x(p,c),d=f*i.y(p,c),y=t.w[0]*m+t.w[1]*d+t.w[2]*f+t.w0,M=t.a[0]*m+t.a[1]*d+t.a[2]*f+t.a0;if(y<=0||M>y||M<-y)continue;let F=t.b[0]*m+t.b[1]*d+t.b[2]*f+t.b0;F<=y&&F>=-y&&M*M+F*F<=y*y&&r.push({i:l,a:M/y,b:F/y,w:y})}return r}var re=8,St=class{constructor(t,r){this.depth=t;this.listener=r}depth;listener;camera=new $;units="metric";measuring=!1;chain=!1;rulers=st;pointer=null;held=null;changed(){this.listener.changed()}pick(t){let r=this.depth();return r&&Ct(r,this.camera,t.x,t.y,re)}hover(t){if(this.pointer=t,this.held&&t){let r=this.pick(t);r&&this.update(lt(this.rulers,this.held,r.point))}this.changed()}click(t){if(!this.measuring)return;let r=this.pick(t);r&&this.update(at(this.rulers,r.point,this.chain,X(this.camera,this.rulers,t)))}grab(t){return this.held=this.measuring?X(this.camera,this.rulers,t):null,this.held&&(this.rulers=ct(this.rulers)),this.held!==null}drop(t){this.held&&!t&&(this.rulers=Y(this.rulers)),this.held=null}undo(){this.update(Y(this.rulers))}clearRulers(){this.update(ut(this.rulers))}measure(t){this.measuring=t,this.update(this.rulers)}update(t){this.rulers=t,this.listener.measured?.(t),this.changed()}drawOver(t,r){let n=this.pointer&&!this.held?this.pick(this.pointer):null,i=this.rulers.rulers[this.rulers.rulers.length-1],o=this.measuring&&i!==void 0&&(i.points.length<2||this.chain);t.draw(this.camera,this.rulers,n?.point??null,o,this.units,r),this.listener.hovered?.(n)}};var ne=.3048,Et=class{constructor(t){this.gl=t;this.program=new Q(t,Ft,Lt),this.points=It(t),this.lines=It(t)}gl;program;points;lines;furnished="";setPoints(t){Rt(this.gl,this.points,t)}furnish(t,r){let n=JSON.stringify([t,r]);if(n===this.furnished)return;let i=new U;vt(i,t?3*ne:1),xt(i),r&&gt(i,r),Rt(this.gl,this.lines,i.array),this.furnished=n}draw(t,r){let{gl:n,program:i}=this;i.use(),n.uniformMatrix4fv(i.at("camera"),!1,t),n.uniform1f(i.at("pointSize"),Math.max(1,r)),n.bindVertexArray(this.points.array),n.drawArrays(n.POINTS,0,this.points.count),n.enable(n.BLEND),n.blendFuncSeparate(n.SRC_ALPHA,n.ONE_MINUS_SRC_ALPHA,n.ONE,n.ONE_MINUS_SRC_ALPHA),n.bindVertexArray(this.lines.array),n.drawArrays(n.LINES,0,this.lines.count),n.disable(n.BLEND),n.bindVertexArray(null)}};function It(e){let t=e.createVertexArray(),r=e.createBuffer();return e.bindVertexArray(t),e.bindBuffer(e.ARRAY_BUFFER,r),e.enableVertexAttribArray(0),e.vertexAttribPointer(0,3,e.FLOAT,!1,4*K,0),e.enableVertexAttribArray(1),e.vertexAttribPointer(1,4,e.FLOAT,!1,4*K,12),e.bindVertexArray(null),{array:t,buffer:r,count:0}}function Rt(e,t,r){e.bindBuffer(e.ARRAY_BUFFER,t.buffer),e.bufferData(e.ARRAY_BUFFER,r,e.DYNAMIC_DRAW),t.count=r.length/K}export{st as a,ae as b,pe as c,de as d,Ut as e,Kt as f,bt as g,I as h,xe as i,ge as j,Pt as k,kt as l,De as m,$e as n,Be as o,St as p,K as q,Et as r};
