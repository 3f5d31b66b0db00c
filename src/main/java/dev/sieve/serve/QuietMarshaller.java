package dev.sieve.serve;

import io.grpc.MethodDescriptor;
import io.grpc.MethodDescriptor.Marshaller;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.StatusRuntimeException;
import java.io.InputStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Reads messages; one that is not valid is null. An exception instead would be logged with its stack trace by gRPC. A
 * call with one message that is null ends with an error status.
 */
record QuietMarshaller<T>(Marshaller<T> marshaller) implements Marshaller<T> {

    @Override
    public InputStream stream(T value) {
        return marshaller.stream(value);
    }

    @Override
    public @Nullable T parse(InputStream stream) {
        try {
            return marshaller.parse(stream);
        } catch (StatusRuntimeException e) {
            return null;
        }
    }

    /** Returns a service whose requests are read in this way, with one more method. */
    static ServerServiceDefinition applyTo(ServerServiceDefinition service, ServerMethodDefinition<?, ?> more) {
        ServiceDescriptor.Builder descriptor =
                ServiceDescriptor.newBuilder(service.getServiceDescriptor().getName());
        var methods = Stream.concat(service.getMethods().stream(), Stream.of(more))
                .map(QuietMarshaller::applyTo)
                .toList();
        methods.forEach(method -> descriptor.addMethod(method.getMethodDescriptor()));
        ServerServiceDefinition.Builder quiet = ServerServiceDefinition.builder(descriptor.build());
        methods.forEach(quiet::addMethod);
        return quiet.build();
    }

    private static <Q, R> ServerMethodDefinition<Q, R> applyTo(ServerMethodDefinition<Q, R> method) {
        MethodDescriptor<Q, R> descriptor = method.getMethodDescriptor();
        Marshaller<Q> quiet = new QuietMarshaller<>(descriptor.getRequestMarshaller());
        return ServerMethodDefinition.create(
                descriptor.toBuilder(quiet, descriptor.getResponseMarshaller()).build(), method.getServerCallHandler());
    }
}
