# The node alone, in an image of about 40 MB:
#   docker build -t rs-ros-node .
# The node with the USB camera's driver, which needs C and libusb:
#   docker build -t rs-ros-node:usb --target usb .
#   docker run --device /dev/bus/usb … rs-ros-node:usb live --device usb
#
# For another platform, BuildKit cross-compiles. The last stage with the USB camera's driver
# needs an emulator in the kernel:
#   docker build --platform linux/arm64 -t rs-ros-node .
#
# Both run as user 1000, not as root. To record into a folder of another user:
#   docker run --user "$(id -u):$(id -g)" -v "$PWD/bags:/bags" … rs-ros-node …

FROM --platform=${BUILDPLATFORM:-linux} golang:1.26-bookworm AS source
WORKDIR /src
COPY go.mod go.sum ./
COPY cmd/rs-lerobot/go.mod cmd/rs-lerobot/go.sum cmd/rs-lerobot/
RUN go mod download && go -C cmd/rs-lerobot mod download
COPY . .

FROM source AS build
ARG TARGETOS TARGETARCH TARGETVARIANT
RUN CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH GOARM=${TARGETVARIANT#v} \
    go build -buildvcs=false -trimpath -o /out/ ./cmd/rs-ros-node \
 && CGO_ENABLED=0 GOOS=$TARGETOS GOARCH=$TARGETARCH GOARM=${TARGETVARIANT#v} \
    go build -C cmd/rs-lerobot -buildvcs=false -trimpath -o /out/ . \
 && mkdir -p /out/folders/bags && mkdir -m 1777 /out/folders/tmp

FROM source AS build-usb
ARG TARGETARCH TARGETVARIANT
# Installs the C compiler and libusb for the image's platform.
RUN debian=${TARGETARCH:-$(dpkg --print-architecture)} \
 && case "$debian" in \
      amd64) gnu=x86_64-linux-gnu ;; \
      arm64) gnu=aarch64-linux-gnu ;; \
      arm*) debian=armhf gnu=arm-linux-gnueabihf ;; \
      *) echo "no USB camera on $debian" >&2; exit 1 ;; \
    esac \
 && dpkg --add-architecture "$debian" \
 && apt-get update \
 && apt-get install --yes --no-install-recommends "gcc-$(echo "$gnu" | tr _ -)" "libc6-dev:$debian" "libusb-1.0-0-dev:$debian" pkg-config \
 && rm -rf /var/lib/apt/lists/* \
 && printf '%s\n' "export CC=$gnu-gcc PKG_CONFIG_LIBDIR=/usr/lib/$gnu/pkgconfig" >/platform
RUN . /platform && CGO_ENABLED=1 GOARCH=$TARGETARCH GOARM=${TARGETVARIANT#v} \
    go build -buildvcs=false -trimpath -tags usb -o /out/rs-ros-node ./cmd/rs-ros-node

FROM debian:bookworm-slim AS usb
RUN apt-get update \
 && apt-get install --yes --no-install-recommends libusb-1.0-0 \
 && rm -rf /var/lib/apt/lists/*
# plugdev is the group to which launch/udev gives the cameras.
RUN useradd --uid 1000 --user-group --groups plugdev --no-create-home --shell /usr/sbin/nologin ros \
 && install -d -o ros -g ros /bags
COPY --from=build-usb /out/rs-ros-node /usr/bin/rs-ros-node
USER ros
WORKDIR /bags
ENTRYPOINT ["/usr/bin/rs-ros-node"]

# The last stage is the default. The program is static and needs no other file; demo
# records into /tmp.
FROM scratch
COPY --from=build /out/rs-ros-node /out/rs-lerobot /usr/bin/
COPY --from=build --chown=1000:1000 /out/folders /
USER 1000:1000
WORKDIR /bags
ENTRYPOINT ["/usr/bin/rs-ros-node"]
