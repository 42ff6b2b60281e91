# For a tap: Formula/rs-ros-node.rb.
class RsRosNode < Formula
  desc "RealSense cameras and recordings for ROS 1, ROS 2 and Python"
  homepage "@REPOSITORY@"
  version "@VERSION@"
  license "Apache-2.0"

  on_macos do
    on_arm do
      url "@RELEASE@/rs-ros-node_@VERSION@_darwin_arm64.tar.gz"
      sha256 "@SHA256 darwin_arm64.tar.gz@"
    end
    on_intel do
      url "@RELEASE@/rs-ros-node_@VERSION@_darwin_amd64.tar.gz"
      sha256 "@SHA256 darwin_amd64.tar.gz@"
    end
  end
  on_linux do
    on_arm do
      url "@RELEASE@/rs-ros-node_@VERSION@_linux_arm64.tar.gz"
      sha256 "@SHA256 linux_arm64.tar.gz@"
    end
    on_intel do
      url "@RELEASE@/rs-ros-node_@VERSION@_linux_amd64.tar.gz"
      sha256 "@SHA256 linux_amd64.tar.gz@"
    end
  end

  def install
    bin.install Dir["bin/*"]
    man1.install Dir["man/*"]
    bash_completion.install "completions/rs-ros-node"
    zsh_completion.install "completions/_rs-ros-node"
    fish_completion.install "completions/rs-ros-node.fish"
  end

  test do
    system bin/"rs-ros-node", "demo", "--duration", "1s"
  end
end
