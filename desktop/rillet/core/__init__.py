"""The Qt-free library. In reading order: errors, types, wire, net, providers, client; then config."""
